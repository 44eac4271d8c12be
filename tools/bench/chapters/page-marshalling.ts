import { PlainJsonCodec } from "../../../lambdas/dynamodb/plain-json-codec.ts";
import { type Item, recordReader } from "../../../lambdas/dynamodb/records.ts";
import type { Key } from "../../../lambdas/resources/keys/key-store.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import { figureOf, ratioOf } from "../measure/statistics.ts";
import { type Chapter, digits, ratio, table, verdict } from "../report/table.ts";
import { storedKeys } from "../stub/records.ts";

const rounds = 15;
const pagesPerRound = 60;

const attributes = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { S: String(value) }]));
const wire = Buffer.from(JSON.stringify({ Items: storedKeys.slice(0, 1_000).map(attributes) }));

interface WireItem {
  key_id: { S: string };
  v_code: { S: string };
  created_at: { S: string };
  updated_at: { S: string };
}

const read = recordReader<Key>(tables.keys.fields);
const codec = new PlainJsonCodec();

const oursName = "this service: its codec, its items";
const textName = "text to text: no object, so nothing that a handler could look at";

/** Ways to turn the bytes of DynamoDB's response into the text of the service's response: this service's way, and others. */
const ways: Record<string, () => Promise<string>> = {
  [oursName]: async () => {
    const { Items } = (await codec.createDeserializer().read(undefined, wire)) as { Items: Item[] };
    return JSON.stringify(Items.map((item) => read(item)));
  },
  "a reviver of JSON.parse": async () => {
    const { Items }: { Items: Key[] } = JSON.parse(wire.toString(), (_, value) => value?.S ?? value);
    return JSON.stringify(Items);
  },
  "each field by name": async () => {
    const { Items }: { Items: WireItem[] } = JSON.parse(wire.toString());
    return JSON.stringify(
      Items.map(({ key_id, v_code, created_at, updated_at }) => ({
        key_id: key_id.S,
        v_code: v_code.S,
        created_at: created_at.S,
        updated_at: updated_at.S,
      })),
    );
  },
  "the text rewritten, then read": async () => {
    const text = wire.toString().replaceAll(/\{"S":("(?:[^"\\]|\\.)*")\}/g, "$1");
    const { Items }: { Items: Key[] } = JSON.parse(text);
    return JSON.stringify(Items);
  },
  [textName]: async () => {
    const text = wire.toString();
    const items = text.slice(text.indexOf("["), text.lastIndexOf("]") + 1);
    return items.replaceAll(/\{"S":("(?:[^"\\]|\\.)*")\}/g, "$1");
  },
};

/** The processing of a page of 1,000 keys, from DynamoDB's response to the response for the client. */
export const pageMarshalling = async (): Promise<Chapter> => {
  const expected = JSON.stringify(storedKeys.slice(0, 1_000));
  const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
  for (let round = -5; round < rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      if ((await way()) !== expected) throw new Error(`${name} gives another page.`);
      const start = process.cpuUsage();
      for (let page = 0; page < pagesPerRound; page += 1) await way();
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times.get(name)?.push((user + system) / pagesPerRound);
    }
  }
  const ours = times.get(oursName) ?? [];
  const [cheapest = []] = [...times]
    .filter(([name]) => name !== oursName && name !== textName)
    .map(([, values]) => values)
    .toSorted((left, right) => figureOf(left).median - figureOf(right).median);
  const rows = [...times].map(([name, values]) => [
    name,
    digits(figureOf(values).median),
    ratio(ratioOf(values, cheapest)),
  ]);
  const share = ratioOf(ours, cheapest);
  const goal = `Goal: at most 1.3 of the cheapest way that gives a handler its keys: ${ratio(share)}, ${verdict(share <= 1.3)}.`;
  const text = `## A page of 1,000\n\nCPU µs from the bytes of DynamoDB's answer to the text of the service's.\n\n${table(["", "µs", "ratio"], rows)}\n\n${goal}`;
  return { name: "page", text };
};
