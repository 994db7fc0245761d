"""The page and the pictures of `acic evaluate`: how good the advice is, against what was measured.

How to call it (import it late: it takes a while, and PNG files need matplotlib, the extra `pictures`):

```python
from acic.report.evaluation import FIGURES, Evaluation, Lines, figure, page, pictures

given = Evaluation(
    platform=platform,
    tables={"time": table_of(runs, platform, "time"), "cost": table_of(runs, platform, "cost")},
    picks=[forest_time, forest_cost, fixed_time, fixed_cost, rules_time, rules_cost],  # first of a goal: the advice
    runs=len(runs),
    repetitions=(least, most),
    made=datetime.now(UTC),
    lines={"fig8": [Lines(...), Lines(...)], "fig9": [Lines(...)], "learning": [Lines(...)]},
    command="acic evaluate --platform lab",
)
write_page(path, page(given))            # acic.report.page.write_page: whole or not at all
write_page(path, figure("fig5", given))  # a page with this figure alone
paths = pictures(given, folder)          # FOLDER/fig1.png and so on, those that there is something for
paths = pictures(given, folder, names=["fig5"])
```

What is missing is left out, and the page says so: without "cost" in `tables` there is no figure 6, without "time" no
figure 5, without `lines["fig8"]` no figure 8. `figure`, and `pictures` with `names`, raise MissingData where there is
nothing to draw, and InvalidInput where a name is unknown. What is in `SHEETS` is a table and has no PNG file. What is
in `SLOW` takes long, so that whoever makes all of them leaves it out; what is in `ELSEWHERE` is of the applications
for development, whatever the others are of.
"""

from acic.report.evaluation.evaluation import ELSEWHERE, FIGURES, SHEETS, SLOW, Evaluation, Lines
from acic.report.evaluation.page import figure, page
from acic.report.evaluation.png import pictures

__all__ = ["ELSEWHERE", "FIGURES", "SHEETS", "SLOW", "Evaluation", "Lines", "figure", "page", "pictures"]
