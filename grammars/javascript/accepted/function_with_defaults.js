function f({ p: [p] = [], ...q }) { return p;
}
