function* gen() {
  yield;
  a.b = yield c;
}
async function run() {
  await gen?.();
}
with (a) b;