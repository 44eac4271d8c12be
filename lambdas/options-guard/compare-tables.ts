import { changeIndexName } from "../dynamodb/table.ts";

/** A table as it is deployed: its key and its indexes, each described in one string. */
export type DeployedTable = Readonly<Record<string, string>>;

/** Deployed tables by the name of their store. */
export type DeployedTables = Readonly<Record<string, DeployedTable>>;

/** The entry with the table's own key. The names of indexes have no spaces. */
export const tableKey = "table key";

/** The output of the API's stack that names the indexes which its functions may query. */
export const indexesInUse = "IndexesInUse";

/** Returns the indexes that a deployment removes from tables that it keeps, such as `shipments.byCustomer`. */
export const removedIndexes = (deployed: DeployedTables, next: DeployedTables): string[] =>
  keptTables(deployed, next).flatMap(([store, before, after]) =>
    Object.keys(before)
      .filter((name) => !(name in after))
      .map((name) => `${store}.${name}`),
  );

/** Returns why a deployment cannot change the deployed tables as its template says, as sentences. */
export const tableProblems = (deployed: DeployedTables, next: DeployedTables, used: readonly string[]): string[] => [
  ...keptTables(deployed, next).flatMap(([store, before, after]) => {
    const changed = Object.keys(before).filter((name) => name in after && before[name] !== after[name]);
    const moved = [...new Set(Object.keys(before)).symmetricDifference(new Set(Object.keys(after)))];
    return [
      ...changed.map((name) => {
        if (name === tableKey)
          return `The key of the table ${store} cannot change. Declare a new table under another name.`;
        return name === changeIndexName
          ? `The changes of ${store} are deployed with another partition, and DynamoDB cannot change their index. Declare the deployed ones with retired: true, deploy, remove them, deploy, and then declare the new ones.`
          : `The index ${store}.${name} is deployed with another key or other attributes, and DynamoDB cannot change an index. Declare the new one under another name, and mark this one as retired.`;
      }),
      ...(moved.length > 1
        ? [
            `DynamoDB adds or removes one index of a table at a time, but this would add or remove ${moved.length} of ${store} (${moved.join(", ")}). Deploy them one after another.`,
          ]
        : []),
    ];
  }),
  ...removedIndexes(deployed, next)
    .filter((index) => used.includes(index))
    .map((index) => {
      const [store, name] = index.split(".");
      return name === changeIndexName
        ? `Deployed functions still follow the changes of ${store}. Declare \`changes\` with retired: true, deploy, and remove them in a later deployment.`
        : `Deployed functions still use the index ${index}. Declare it with retired: true, deploy, and remove its lines in a later deployment.`;
    }),
];

const keptTables = (deployed: DeployedTables, next: DeployedTables) =>
  Object.entries(deployed).flatMap(([store, before]) => {
    const after = next[store];
    return after ? [[store, before, after] as const] : [];
  });
