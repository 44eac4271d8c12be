import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";

const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      DependsOn: z._default(z.array(z.string()), []),
      Metadata: z.optional(z.looseObject({ "aws:asset:path": z.optional(z.string()) })),
    }),
  ),
});
type Resources = z.output<typeof templateShape>["Resources"];

/** A resource of a stack or of one of its nested stacks. */
interface Node {
  id: string;
  type: string;
  /** The resources that CloudFormation completes before it starts this one. */
  after: Node[];
}

/** Returns the ids in a value's references: `Ref` and `Fn::GetAtt`. */
const referencesIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    if (name === "Ref") return [String(part)];
    if (name === "Fn::GetAtt") return [String(Array.isArray(part) ? part[0] : part)];
    return referencesIn(part);
  });
};

/**
 * The resources of a stack in an assembly, with those of its nested stacks, and the order in which CloudFormation deploys them.
 * Whatever waits for a nested stack waits for everything in it, and everything in it waits for what the nested stack waits for.
 */
export const readDeployment = async (assembly: string, stack: string): Promise<Node[]> => {
  const read = async (file: string, start: Node[]): Promise<Node[]> => {
    const { Resources } = templateShape.parse(JSON.parse(await readFile(join(assembly, file), "utf8")));
    return nodesOf(Resources, start);
  };
  const nodesOf = async (resources: Resources, start: Node[]): Promise<Node[]> => {
    const nodes = new Map(
      Object.entries(resources).map(
        ([id, { Type: type }]) => [id, { id, type, after: [...start] }] satisfies [string, Node],
      ),
    );
    const all: Node[] = [...nodes.values()];
    for (const [id, { DependsOn, Metadata, ...resource }] of Object.entries(resources)) {
      const node = nodes.get(id);
      const others = [...DependsOn, ...referencesIn(resource)].flatMap((other) => nodes.get(other) ?? []);
      node?.after.push(...others.filter((other) => other !== node));
      const file = Metadata?.["aws:asset:path"];
      if (node && resource.Type === "AWS::CloudFormation::Stack" && file !== undefined) {
        const inside = await read(file, node.after);
        node.after = [...node.after, ...inside];
        all.push(...inside);
      }
    }
    return all;
  };
  return read(`${stack}.template.json`, []);
};

/** Returns everything that ends before each resource starts. */
const earlierOnes = (nodes: readonly Node[]): Map<Node, Set<Node>> => {
  const known = new Map<Node, Set<Node>>();
  const visit = (node: Node): Set<Node> => {
    const found = known.get(node);
    if (found) return found;
    const earlier = new Set<Node>();
    known.set(node, earlier);
    for (const one of node.after) for (const each of [one, ...visit(one)]) earlier.add(each);
    return earlier;
  };
  for (const node of nodes) visit(node);
  return known;
};

/** Returns the resources that wait for themselves, which CloudFormation rejects. */
export const cyclesIn = (nodes: readonly Node[]): string[] =>
  [...earlierOnes(nodes)].flatMap(([node, earlier]) => (earlier.has(node) ? [node.id] : []));

/**
 * Returns a number of chains that cover the resources of a type. The resources of a chain are deployed one after another, so at
 * most as many are deployed at the same time as there are chains, however long each of them takes.
 */
export const chainsOf = (nodes: readonly Node[], type: string): number => {
  const earlier = earlierOnes(nodes);
  const countOf = (node: Node) => earlier.get(node)?.size ?? 0;
  const ends: Node[] = [];
  for (const node of nodes.filter((one) => one.type === type).toSorted((one, other) => countOf(one) - countOf(other))) {
    const chain = ends.findIndex((end) => earlier.get(node)?.has(end));
    ends[chain < 0 ? ends.length : chain] = node;
  }
  return ends.length;
};
