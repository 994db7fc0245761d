"""The command `acic`, and `python -m acic`."""

import signal


def main() -> None:
    """Run the command; who interrupts it while its modules are loaded gets no traceback."""
    handler = signal.getsignal(signal.SIGINT)  # a shell has background jobs ignore it, which stays so
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from acic.cli.main import main as run

    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
