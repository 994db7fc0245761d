// Sorts and filters the table of points; without this script it is a plain table in the order of the plan.
"use strict";
(function () {
  const table = document.getElementById("all-points");
  const place = document.getElementById("filter");
  if (!table || !place) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, function (row) {
    return { row: row, text: row.textContent.toLowerCase(), outcome: row.cells[2].textContent };
  });

  function labelled(name, control) {
    const label = document.createElement("label");
    label.append(name + " ", control);
    return label;
  }

  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "words of a row";
  const choice = document.createElement("select");
  const outcomes = new Set(rows.map(function (r) { return r.outcome; }));
  [""].concat(Array.from(outcomes).sort()).forEach(function (name) {
    const option = document.createElement("option");
    option.value = name;
    option.textContent = name || "any";
    choice.append(option);
  });
  const count = document.createElement("output");
  place.append(labelled("Search", search), labelled("Outcome", choice), count);

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach(function (r) {
      const outcome = !choice.value || r.outcome === choice.value;
      const fits = outcome ? words.every(function (w) { return r.text.includes(w); }) : false;
      r.row.hidden = !fits;
      shown += fits ? 1 : 0;
    });
    count.textContent = shown.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " points";
  }

  function key(row, column, numeric) {
    const text = row.cells[column].textContent;
    if (!numeric) return text;
    const number = parseFloat(text);
    return Number.isNaN(number) ? null : number;
  }

  function sort(header) {
    const numeric = header.dataset.sort === "number";
    const falling = header.getAttribute("aria-sort") === "ascending";
    const keyed = rows.map(function (r) { return { r: r, key: key(r.row, header.cellIndex, numeric) }; });
    keyed.sort(function (a, b) {
      if (a.key === null || b.key === null) return (a.key === null ? 1 : 0) - (b.key === null ? 1 : 0);
      const order = numeric ? a.key - b.key : a.key.localeCompare(b.key, "en");
      return falling ? -order : order;
    });
    Array.from(table.tHead.rows[0].cells).forEach(function (cell) { cell.removeAttribute("aria-sort"); });
    header.setAttribute("aria-sort", falling ? "descending" : "ascending");
    body.append.apply(body, keyed.map(function (k) { return k.r.row; }));
  }

  Array.from(table.tHead.rows[0].cells).forEach(function (header) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    button.title = "Sort by " + header.textContent;
    header.replaceChildren(button);
    button.addEventListener("click", function () { sort(header); });
  });
  search.addEventListener("input", filter);
  choice.addEventListener("change", filter);
  // a link to a row that the filter hides shows it again
  window.addEventListener("hashchange", function () {
    const target = location.hash.startsWith("#p") ? document.getElementById(location.hash.slice(1)) : null;
    if (target !== null && target.hidden) {
      search.value = "";
      choice.value = "";
      filter();
      target.scrollIntoView();
    }
  });
  filter();
})();
