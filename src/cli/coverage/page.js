"use strict";
// What the page does when it is used: inputs of a symbol, search, arrow keys. All texts are set as texts.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const panel = $("panel");
  let chosen = null;
  document.documentElement.classList.add("scripted");

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const link = (text, to) => {
    const made = element("a", text);
    made.href = "#" + to;
    return made;
  };

  const close = () => {
    if (!chosen) return;
    panel.hidden = true;
    chosen.classList.remove("chosen");
    chosen.focus();
    chosen = null;
  };

  const show = (symbol) => {
    const anchor = document.querySelector(`pre a[data-s="${symbol}"]`);
    if (!anchor) return;
    if (chosen) chosen.classList.remove("chosen");
    chosen = anchor;
    anchor.classList.add("chosen");
    const rule = anchor.closest(".rule");
    const [inputs, examples] = data.symbols[symbol];
    panel.replaceChildren();
    const button = element("button", "×");
    button.type = "button";
    button.setAttribute("aria-label", "Close");
    button.addEventListener("click", close);
    panel.append(button, element("h2", anchor.textContent));
    const measured = anchor.classList.contains("s");
    const share = data.inputs ? Math.round((inputs * 1000) / data.inputs) / 10 : 0;
    panel.append(element("p", measured
      ? `in ${rule.querySelector("h3").textContent}: used by ${inputs} of ${data.inputs} inputs (${share} %)`
      : "Part of a token, not measured."));
    const ways = element("p");
    if (anchor.dataset.p !== undefined) ways.append(link("Go to its rule", "p" + anchor.dataset.p), " ");
    if ($("g" + rule.id.slice(1))) ways.append(link("What is not covered here", "g" + rule.id.slice(1)));
    panel.append(ways);
    const beside = data.beside && data.beside[symbol];
    if (beside && beside.functions.length) {
      panel.append(element("h3", "Functions that go with it"));
      const list = element("ul", undefined, "functions");
      for (const [name, reached] of beside.functions) {
        const item = element("li");
        item.append(element("code", name), ` ${reached}`);
        list.append(item);
      }
      if (beside.more) list.append(element("li", `and ${beside.more} more`, "hint"));
      panel.append(list, element("p", "Each with the inputs of the model that reach it.", "hint"));
    }
    for (const example of examples) {
      const [name, text] = data.files[example];
      panel.append(element("div", name, "hint"), element("pre", text, "text"));
    }
    panel.hidden = false;
    panel.focus({ preventScroll: true });
  };

  document.addEventListener("click", (event) => {
    const symbol = event.target.closest("[data-s]");
    if (symbol) {
      event.preventDefault();
      show(symbol.dataset.s);
      return;
    }
    const to = event.target.closest("a[href^='#g']");
    if (to) $(to.hash.slice(1)).open = true;
  });

  // In a rule, one symbol is in the order of tabs, and arrow keys lead to the others.
  for (const pre of document.querySelectorAll(".rule pre")) {
    const symbols = [...pre.querySelectorAll("a")];
    symbols.forEach((symbol, at) => { symbol.tabIndex = at ? -1 : 0; });
    pre.addEventListener("keydown", (event) => {
      const at = symbols.indexOf(document.activeElement);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: symbols.length - 1 }[event.key];
      if (at < 0 || next === undefined || !symbols[next]) return;
      event.preventDefault();
      symbols[at].tabIndex = -1;
      symbols[next].tabIndex = 0;
      symbols[next].focus();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    const typing = ["INPUT", "SELECT"].includes(document.activeElement.tagName);
    if (event.key === "/" && !typing && $("search")) {
      event.preventDefault();
      $("search").focus();
    }
  });

  $("unused").addEventListener("change", (event) => {
    for (const rule of document.querySelectorAll(".rule")) {
      rule.hidden = event.target.checked && rule.dataset.unused === "0";
    }
  });
  $("diagrams").addEventListener("change", (event) => {
    for (const diagram of document.querySelectorAll(".diagram")) diagram.hidden = !event.target.checked;
  });

  const search = $("search");
  if (!search) return;
  const groups = [...document.querySelectorAll(".group")].map((group) => ({
    group,
    gaps: [...group.querySelectorAll(".gap")].map((gap) => ({ gap, text: gap.textContent.toLowerCase() })),
  }));
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const level = $("level").value;
    let found = 0;
    for (const { group, gaps } of groups) {
      let here = 0;
      for (const { gap, text } of gaps) {
        gap.hidden = !(words.every((word) => text.includes(word)) && (!level || gap.dataset.k === level));
        here += !gap.hidden;
      }
      group.hidden = !here;
      if (words.length) group.open = here > 0;
      found += here;
    }
    $("found").textContent = words.length || level ? `${found} found` : "";
  };
  search.addEventListener("input", filter);
  $("level").addEventListener("change", filter);
})();
