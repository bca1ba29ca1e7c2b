"use strict";
// Draws the timeline and makes the tables sortable. All names are set as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("canvas");
  const pen = canvas.getContext("2d");
  const tip = document.getElementById("tip");
  const detail = document.getElementById("detail");
  const filter = document.getElementById("filter");
  const help = detail.textContent;

  const GUTTER = 124, HEAD = 22, GAP = 9, MOST_ROWS_HEIGHT = 220;
  const OUTCOMES = ["hit", "partial", "run", "failed", "passthrough"];
  const full = { from: 0, to: Math.max(data.span, 1) };
  let view = { ...full };
  let selected = null;
  let slices = [];
  let height = 0;

  // The fields of a slice: start, duration, row, outcome, object, label, reason; the last three are numbers of texts.
  data.tracks.forEach((track, t) => track.slices.forEach((s, i) => slices.push({
    track: t, id: t + "." + i, start: s[0], end: s[0] + s[1], row: s[2], outcome: OUTCOMES[s[3]],
    object: data.texts[s[4]], label: data.texts[s[5]], why: data.texts[s[6]], shown: true })));

  function lay_out() {
    let y = HEAD;
    for (const track of data.tracks) {
      track.bar = Math.max(3, Math.min(18, Math.floor(MOST_ROWS_HEIGHT / Math.max(track.rows, 1)) - 1));
      track.top = y;
      track.height = track.rows * (track.bar + 1);
      y += Math.max(track.height, 14) + GAP;
    }
    height = y;
  }

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const width = () => canvas.clientWidth - GUTTER;
  const x_of = time => GUTTER + (time - view.from) / (view.to - view.from) * width();
  const time_at = x => view.from + (x - GUTTER) / width() * (view.to - view.from);

  function shown_time(us) {
    if (us < 1000) return us.toFixed(0) + " µs";
    if (us < 1e6) return (us / 1e3).toFixed(us < 1e4 ? 1 : 0) + " ms";
    if (us < 60e6) return (us / 1e6).toFixed(us < 10e6 ? 2 : 1) + " s";
    const seconds = Math.round(us / 1e6);
    return Math.floor(seconds / 60) + " min " + seconds % 60 + " s";
  }

  // As precise as the distance of the marks.
  function mark_of(time, step) {
    if (time === 0) return "0";
    if (step < 1000) return time < 1e6 ? time + " µs" : (time / 1e6).toFixed(6) + " s";
    const decimals = 6 - Math.floor(Math.log10(step));
    if (step < 1e6) return time < 1e6 ? time / 1000 + " ms" : (time / 1e6).toFixed(decimals) + " s";
    const seconds = Math.round(time / 1e6);
    if (seconds < 60) return seconds + " s";
    return Math.floor(seconds / 60) + " min" + (seconds % 60 ? " " + seconds % 60 + " s" : "");
  }

  // About one mark for each 110 pixels, at 1, 2 or 5 times a power of ten.
  function step_of_marks() {
    const rough = (view.to - view.from) / Math.max(width() / 110, 1);
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1))));
    return [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
  }

  function draw_marks(ink, line) {
    pen.textBaseline = "top";
    const step = step_of_marks();
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = Math.round(x_of(time)) + 0.5;
      pen.strokeStyle = line;
      pen.beginPath();
      pen.moveTo(x, HEAD - 4);
      pen.lineTo(x, height);
      pen.stroke();
      pen.fillStyle = ink;
      const text = mark_of(time, step);
      if (x + 4 + pen.measureText(text).width <= canvas.clientWidth) pen.fillText(text, x + 4, 4);
    }
  }

  function draw_slices() {
    const colours = Object.fromEntries(OUTCOMES.map(name => [name, colour(name)]));
    const on_slice = colour("on-bar");
    pen.textBaseline = "middle";
    for (const slice of slices) {
      if (slice.end < view.from || slice.start > view.to) continue;
      const track = data.tracks[slice.track];
      const left = Math.max(x_of(slice.start), GUTTER);
      const wide = Math.max(x_of(slice.end) - left, 1.5);
      const top = track.top + slice.row * (track.bar + 1);
      pen.globalAlpha = slice.shown ? 1 : 0.12;
      pen.fillStyle = colours[slice.outcome];
      pen.fillRect(left, top, wide - (wide > 4 ? 1 : 0), track.bar);
      if (slice.id === selected) {
        pen.strokeStyle = colour("ink");
        pen.lineWidth = 2;
        pen.strokeRect(left + 1, top + 1, Math.max(wide - 2, 1), track.bar - 2);
        pen.lineWidth = 1;
      }
      if (slice.shown && wide > 46 && track.bar > 11) {
        pen.save();
        pen.beginPath();
        pen.rect(left, top, wide - 4, track.bar);
        pen.clip();
        pen.fillStyle = on_slice;
        const fits = pen.measureText(slice.object).width < wide - 10;
        const text = fits ? slice.object : slice.object.slice(slice.object.lastIndexOf("/") + 1);
        pen.fillText(text, left + 5, top + track.bar / 2 + 0.5);
        pen.restore();
      }
    }
    pen.globalAlpha = 1;
  }

  function draw_names(ink, faint) {
    pen.textBaseline = "middle";
    for (const track of data.tracks) {
      pen.fillStyle = track.name === "requests" ? faint : ink;
      const middle = track.top + Math.max(track.height, 14) / 2;
      let text = track.name;
      while (text.length > 1 && pen.measureText(text).width > GUTTER - 12) text = text.slice(0, -2) + "…";
      pen.fillText(text, 2, middle);
    }
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = height + "px";
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    draw_marks(colour("faint"), colour("line"));
    draw_slices();
    draw_names(colour("ink"), colour("faint"));
    document.body.dataset.view = Math.round(view.from) + "-" + Math.round(view.to);
  }

  function show(from, to) {
    const span = Math.min(Math.max(to - from, 50), full.to - full.from);
    const start = Math.min(Math.max(from, full.from), full.to - span);
    view = { from: start, to: start + span };
    draw();
    note();
  }

  function zoom(factor, x = GUTTER + width() / 2) {
    const at = time_at(x), left = (at - view.from) * factor;
    show(at - left, at - left + (view.to - view.from) * factor);
  }

  const describe = slice =>
    slice.object + (slice.label ? ": " + slice.label : "") + "\n" + slice.outcome + " · " +
    shown_time(slice.end - slice.start) + ", after " + shown_time(slice.start) + (slice.why ? "\n" + slice.why : "");

  function select(slice) {
    selected = slice ? slice.id : null;
    detail.textContent = slice ? describe(slice) : help;
    draw();
    note();
  }

  // The last one drawn lies on top. Narrow slices can be hit a few pixels beside.
  function slice_at(x, y) {
    for (let i = slices.length - 1; i >= 0; --i) {
      const slice = slices[i], track = data.tracks[slice.track];
      const top = track.top + slice.row * (track.bar + 1);
      if (slice.shown && y >= top && y <= top + track.bar && x >= x_of(slice.start) - 2 && x <= x_of(slice.end) + 2)
        return slice;
    }
    return null;
  }

  // The address keeps what is shown, so that it can be sent to somebody.
  function note() {
    const parts = [];
    if (view.from !== full.from || view.to !== full.to)
      parts.push("from=" + Math.round(view.from), "to=" + Math.round(view.to));
    if (selected !== null) parts.push("slice=" + selected);
    try {
      history.replaceState(null, "", parts.length ? "#" + parts.join("&") : "#");
    } catch (problem) {
      // A page without an address of its own keeps nothing.
    }
  }

  function read_address() {
    const given = new URLSearchParams(location.hash.slice(1));
    const from = Number(given.get("from")), to = Number(given.get("to"));
    const slice = slices.find(one => one.id === given.get("slice"));
    if (given.has("from") && given.has("to") && to > from) show(from, to);
    if (slice) select(slice);
  }

  function apply_filter() {
    const wanted = filter.value.toLowerCase();
    for (const slice of slices)
      slice.shown = (slice.object + " " + slice.label + " " + slice.why).toLowerCase().includes(wanted);
    for (const row of document.querySelectorAll("tr[data-slice]"))
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    draw();
  }

  function sort_by(head) {
    const table = head.closest("table"), column = head.cellIndex, down = !head.classList.contains("down");
    for (const other of head.parentNode.children) other.classList.remove("up", "down");
    head.classList.add(down ? "down" : "up");
    const value = row => {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const compare = (one, other) => typeof one === "number" ? one - other : one.localeCompare(other);
    [...table.tBodies[0].rows].sort((one, other) => compare(value(one), value(other)) * (down ? -1 : 1))
      .forEach(row => table.tBodies[0].append(row));
  }

  function listen() {
    let drag = null;
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, event.offsetX);
    }, { passive: false });
    canvas.addEventListener("pointerdown", event => {
      drag = { x: event.offsetX, view, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
      if (drag !== null) {
        const moved = (drag.x - event.offsetX) / width() * (drag.view.to - drag.view.from);
        drag.moved = drag.moved || Math.abs(drag.x - event.offsetX) > 3;
        if (drag.moved) show(drag.view.from + moved, drag.view.to + moved);
        return;
      }
      const slice = slice_at(event.offsetX, event.offsetY);
      tip.hidden = slice === null;
      if (slice === null) return;
      tip.textContent = describe(slice);
      tip.style.left = Math.max(0, Math.min(event.offsetX + 14, canvas.clientWidth - tip.offsetWidth - 4)) + "px";
      tip.style.top = Math.max(0, Math.min(event.offsetY + 14, height - tip.offsetHeight)) + "px";
    });
    canvas.addEventListener("pointerup", event => {
      if (drag !== null && !drag.moved) select(slice_at(event.offsetX, event.offsetY));
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("keydown", event => {
      const part = (view.to - view.from) / 8;
      const keys = {
        "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7), "0": () => show(full.from, full.to),
        ArrowLeft: () => show(view.from - part, view.to - part),
        ArrowRight: () => show(view.from + part, view.to + part), Escape: () => select(null) };
      if (!(event.key in keys)) return;
      event.preventDefault();
      keys[event.key]();
    });
    document.getElementById("zoom-in").addEventListener("click", () => zoom(0.5));
    document.getElementById("zoom-out").addEventListener("click", () => zoom(2));
    document.getElementById("reset").addEventListener("click", () => show(full.from, full.to));
    filter.addEventListener("input", apply_filter);
    for (const head of document.querySelectorAll("th[data-sort]"))
      head.addEventListener("click", () => sort_by(head));
    for (const row of document.querySelectorAll("tr.goes"))
      row.addEventListener("click", () => {
        const slice = slices.find(one => one.id === row.dataset.slice);
        if (!slice) return;
        const span = Math.max((slice.end - slice.start) * 3, 1000), middle = (slice.start + slice.end) / 2;
        show(middle - span / 2, middle + span / 2);
        select(slice);
        document.getElementById("timeline").scrollIntoView();
      });
    window.addEventListener("resize", draw);
    window.addEventListener("hashchange", read_address);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  }

  lay_out();
  listen();
  draw();
  read_address();
})();
