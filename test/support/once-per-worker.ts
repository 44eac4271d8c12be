const storeName = Symbol.for("integration-api-tests");

/** The modules of the project are evaluated for each test file, so objects that files share are kept outside them. */
const ofWorker = globalThis as { [storeName]?: Map<string, unknown> };

/** Makes something for the first test file of a worker that asks for it. The worker's other files get the same. */
export const oncePerWorker = <Value>(name: string, make: () => Value): Value => {
  ofWorker[storeName] ??= new Map();
  const store = ofWorker[storeName] as Map<string, Value>;
  const value = store.get(name) ?? make();
  store.set(name, value);
  return value;
};
