const storeName = Symbol.for("integration-api-tests");

/** Each test file evaluates the project's modules anew, so objects that files share are kept outside them. */
const ofWorker = globalThis as { [storeName]?: Map<string, unknown> };

/** Creates something for the first test file of a worker that requests it. The worker's other files get the same object. */
export const oncePerWorker = <Value>(name: string, make: () => Value): Value => {
  ofWorker[storeName] ??= new Map();
  const store = ofWorker[storeName] as Map<string, Value>;
  const value = store.get(name) ?? make();
  store.set(name, value);
  return value;
};
