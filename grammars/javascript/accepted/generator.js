function* g(p) { x = yield p;
yield* [1, 2];
}
