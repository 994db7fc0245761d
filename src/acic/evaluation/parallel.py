"""The same function on many arguments, in several processes of this machine; what comes out does not depend on them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, forkserver, get_context, parent_process, resource_tracker
from multiprocessing.context import ForkServerContext
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_LOADED = ("sklearn.ensemble", "acic.evaluation.learning_curves")  # once for all processes, which takes seconds


def spread(function: Callable[[T], R], arguments: Iterable[T], *, processes: int = 1) -> list[R]:
    """Return `function` of each argument, in their order.

    Args:
        function: of a module, or a partial of one, so that another process finds it; it draws nothing but from what
            its argument seeds.
        arguments: one for each call; begun in this order, so that the last ones should be short.
        processes: to share them; 1 makes no other process.
    """
    from threadpoolctl import threadpool_limits

    todo = list(arguments)
    if min(processes, len(todo)) < 2:
        with threadpool_limits(limits=1):  # the matrices are small, and threads that wait cost up to 50x
            return [function(one) for one in todo]
    # not forked: a process with threads (of numpy, of progress) may hang when it is
    context = get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    _begin_server(context)
    others = set(active_children())
    with ProcessPoolExecutor(
        min(processes, len(todo)), mp_context=context, initializer=_take, initargs=(function, dict(os.environ))
    ) as pool:
        try:
            begun = [pool.submit(_call, one) for one in todo]  # `map` cancels them: the pool's thread complains
            return [one.result() for one in begun]
        except BaseException:  # the pool would wait for what was begun: a minute after Ctrl-C
            for process in set(active_children()) - others:
                process.terminate()
            raise


def _begin_server(context: ForkServerContext) -> None:
    """Begin the process that others are forked from, deaf to Ctrl-C, and wait until it has loaded what they need.

    It would print a traceback while it loads; and so would a process of the pool, asked for before that and begun when
    the pool is gone. What is forked from it is deaf, too, and ended by who hears it.
    """
    resource_tracker.ensure_running()  # lets SIGINT through again when it begins
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    first = context.Process(target=processors)  # anything that needs nothing of this process
    first.start()
    first.join()


def processors() -> int:
    """Return how many processors of this machine are free to use."""
    return len(os.sched_getaffinity(0))


_given: list[Callable[[Any], Any]] = []


def _take(function: Callable[[Any], Any], environment: Mapping[str, str]) -> None:
    """Begin a process: what it is to call is sent once, because training sets hang on it.

    Its environment is that of now; it would have that of when the first of all processes was begun.
    """
    from threadpoolctl import threadpool_limits

    os.environ.clear()
    os.environ.update(environment, LOKY_MAX_CPU_COUNT="1")  # for joblib: the processors are shared out already
    threadpool_limits(limits=1)
    _given[:] = [function]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that it works for was killed: it would wait for ever to be asked for more."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _call(argument: Any) -> Any:
    return _given[0](argument)
