class C extends Object { constructor(p) { super(p); } #n = 1; has(p) { return #n in p ? p.#n : this.#n++; } get x() { } static { } }
