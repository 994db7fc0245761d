// Says what the mark nearest to the pointer is, or, with the arrow keys, one mark after the other; the tables say what matters too.
"use strict";
(function () {
  const names = Array.from(document.querySelectorAll("#names li"), function (e) { return e.textContent; });
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ring.setAttribute("r", "8");
  ring.setAttribute("class", "pointed");
  let shown = null;

  function marks(place) {
    if (!place.dataset.told) return [];
    const found = place.dataset.told.split(";").map(function (told) {
      const parts = told.split("|");
      return { x: +parts[0], y: +parts[1], who: names[+parts[2]], said: parts[3] };
    });
    return found.sort(function (a, b) { return a.x - b.x || a.y - b.y; });
  }

  function hide() {
    shown = null;
    tip.hidden = true;
    ring.remove();
  }

  function show(place, mark) {
    shown = { place: place, mark: mark };
    const picture = place.querySelector("svg");
    const box = picture.getBoundingClientRect();
    ring.setAttribute("cx", mark.x + "%");
    ring.setAttribute("cy", mark.y + "%");
    picture.append(ring);
    const who = document.createElement("strong");
    const said = document.createElement("span");
    who.textContent = mark.said;
    said.textContent = mark.who;
    tip.replaceChildren(who, said);
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    const x = box.left + box.width * mark.x / 100;
    const y = box.top + box.height * mark.y / 100;
    tip.style.left = Math.max(4, Math.min(x - size.width / 2, window.innerWidth - size.width - 4)) + "px";
    tip.style.top = (y - size.height - 14 > 4 ? y - size.height - 14 : y + 16) + "px";
  }

  function nearest(place, found, event) {
    const box = place.querySelector("svg").getBoundingClientRect();
    let best = null;
    found.forEach(function (mark) {
      const far = Math.hypot(box.left + box.width * mark.x / 100 - event.clientX,
        box.top + box.height * mark.y / 100 - event.clientY);
      if (best === null || far <= best.far) best = { far: far, mark: mark };  // of equal ones the last: it lies on top
    });
    return best !== null && best.far < 24 ? best.mark : null;
  }

  function neighbour(place, step) {
    const all = Array.from((place.closest("table") || place).querySelectorAll(".told"));
    return all[all.indexOf(place) + step];
  }

  function listen(place) {
    const found = marks(place);
    let at = 0;
    place.addEventListener("pointermove", function (event) {
      const mark = nearest(place, found, event);
      if (mark === null) { hide(); return; }
      at = found.indexOf(mark);
      show(place, mark);
    });
    place.addEventListener("pointerleave", hide);
    place.addEventListener("blur", hide);
    place.addEventListener("focus", function () {
      if (place.matches(":focus-visible")) show(place, found[at]);
    });
    place.addEventListener("keydown", function (event) {
      const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: found.length - 1 };
      if (event.key in moves) {
        at = Math.max(0, Math.min(found.length - 1, moves[event.key]));
        show(place, found[at]);
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const other = neighbour(place, event.key === "ArrowDown" ? 1 : -1);
        if (!other) return;
        place.tabIndex = -1;
        other.tabIndex = 0;
        other.focus();
      } else if (event.key === "Escape") {
        hide();
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  Array.from(document.querySelectorAll(".told")).forEach(function (place) {
    place.tabIndex = neighbour(place, -1) ? -1 : 0;  // one stop for each table: the arrows lead on
    place.setAttribute("role", "group");
    const shows = place.querySelector("svg").getAttribute("aria-label");
    place.setAttribute("aria-label", shows + ". Arrow keys go from mark to mark");
    listen(place);
  });
  window.addEventListener("scroll", function () {  // a row that keys reached may have been scrolled to
    if (shown !== null && shown.place === document.activeElement) show(shown.place, shown.mark);
    else hide();
  }, { passive: true });
})();
