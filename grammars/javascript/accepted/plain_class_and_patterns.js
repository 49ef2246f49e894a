class Point extends (Base) {
  static get origin() {}
  set x (value) {}
  [key]() {}
  count = 1;
}
let {a, b: [c, ...v]} = $value, other = `x ${ a + `y` } z`;