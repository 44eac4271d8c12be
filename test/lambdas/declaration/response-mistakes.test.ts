import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const project = fileURLToPath(new URL("../../..", import.meta.url));

/** Responses, the result of a handler, and what the compiler says about them in at most so many lines. */
const mistakes: [responses: string, result: string, sentence: string, lines: number][] = [
  ["200: { ...json, versionned: true }", "status: 200, body: it", "A response has no member versionned.", 2],
  ["302: { ...empty, location: true }", 'status: 302, location: "/x"', "An endpoint cannot declare the status 302.", 2],
  [
    "204: { ...empty, headers: { 'SET-cookie': text } }",
    "status: 204, headers: { 'SET-cookie': '' }",
    "Only the service itself sets SET-cookie.",
    2,
  ],
  ["204: { ...empty, headers: { 'X-A': body } }", "status: 204", "to type 'string | number | boolean | undefined'.", 3],
  ["303: { ...empty, location: { origin: '' } }", "status: 303, location: '/x'", "'origin' does not exist in type", 1],
  ["303: { ...empty, location: { origins: ['http:'] } }", "status: 303, location: '/x'", "to type '`https://", 1],
  ["200: json", "status: 200, body: it, versoin: '1'", "The response 200 does not declare versoin.", 2],
  ["200: json", "status: 200, body: it, headers: { 'X-A': '' }", "The response 200 does not declare headers.", 2],
  ["200: json", "status: 200, body: { ...it, nmae: '' }", "The response 200 does not declare body.nmae.", 2],
  ["200: json", "status: 200, body: { ...it, to: { zpi: '' } }", "The response 200 does not declare body.to.zpi.", 2],
  ["200: json", "status: 200, body: { ...it, lines: [{ nte: '' }] }", "does not declare body.lines.0.nte.", 2],
  ["200: json", "status: 201, body: it", "The responses do not declare the status 201.", 2],
  ["200: json, 204: empty", "status: 204, body: it", "The response 204 does not declare body.", 2],
  ["204: { ...empty, headers }", "status: 204, headers: { 'X-B': '' }", "does not declare headers.X-B.", 2],
  [
    "303: elsewhere",
    "status: 303, location: 'https://a.example.evil/x'",
    "property 'location' has conflicting types",
    4,
  ],
  ["303: elsewhere", "status: 303, location: record.id", "Type 'string' is not assignable to type 'LocationOf<", 6],
  ["200: { ...empty, media: 'image/png' }", "status: 200, body: ''", "to type 'Uint8Array<ArrayBufferLike>'.", 6],
  ["200: { ...empty, media: 'text/csv' }", "status: 200, body: Buffer.of()", "is not assignable to type 'string'.", 6],
];

/** Responses, and a correct result of a handler that no endpoint of the project has. */
const correct: [responses: string, result: string][] = [
  ["200: { ...empty, body: z.array(body) }", "status: 200, body: [record]"],
  ["200: json, 204: empty", "...(it.id ? { status: 204 } : { status: 200, body: it, facts: { a: '' } })"],
];

const takes = "...common, responses: { 204: empty }, async handler() { return { status: 204 } }";

/** Other declarations, and what the compiler says about them. */
const others: [declaration: string, sentence: string][] = [
  ["resource({ name: 'x', folder: '', endpoints: {}, recrods: {} })", "A resource has no member recrods."],
  [
    "endpointsWith({ tables: {}, errors: { x: { status: 409, message: '', when: '', solve: '', slove: '' } } })",
    "An error has no member slove.",
  ],
  [`endpoint({ ${takes}, method: 'PUT', form: body, json: body })`, "An endpoint takes a form or JSON, but not both."],
  [`endpoint({ ${takes}, method: 'GET', json: body })`, `Type '"GET"' is not assignable to type 'MethodWithBody'.`],
  [`endpoint({ ${takes}, method: 'DELETE', form: body })`, `'"DELETE"' is not assignable to type 'MethodWithBody'.`],
];

const prelude = `
import * as z from "zod/mini";
import { endpoint, endpointsWith } from "${project}lambdas/declaration/endpoint.ts";
import { resource } from "${project}lambdas/declaration/service.ts";
const text = z.string();
const to = z.nullable(z.object({ city: text }));
const body = z.object({ id: text, to, lines: z.array(z.object({ count: z.number(), note: z.optional(text) })) });
const it = { id: "1", to: null, lines: [{ count: 1 }] };
declare const record: { id: string; to: null; lines: { count: number; internal: string }[]; secret: string };
const headers = { "X-Total": z.number(), "X-A": z.optional(text) };
const empty = { description: "" } as const;
const json = { description: "", body } as const;
const elsewhere = { description: "", location: { origins: ["https://a.example"] } } as const;
const common = { method: "GET", path: "/", summary: "", description: "", uses: { keys: ["get"] }, example: {} } as const;`;

const endpointWith = ([responses, result]: readonly [string, string, ...unknown[]], index: number): string =>
  `export const e${index} = endpoint({ ...common, responses: { ${responses} }, async handler() { return { ${result} }; } });`;

let folder: string;
/** The lines that the compiler prints about each declaration. */
let messages: string[][];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-mistakes-"));
  const endpoints = [...mistakes, ...correct].map(endpointWith);
  const statements = [
    ...endpoints,
    ...others.map(([declaration], index) => `export const o${index} = ${declaration};`),
  ];
  await writeFile(join(folder, "declarations.mts"), [prelude, ...statements].join("\n"));
  const compilerOptions = {
    paths: { "zod/mini": [join(project, "node_modules/zod/mini/index.d.ts")] },
    typeRoots: [join(project, "node_modules/@types")],
  };
  const settings = { extends: join(project, "tsconfig.json"), compilerOptions, include: ["declarations.mts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(project, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  const printed = stdout.trim().split(/\n(?! )/);
  messages = statements.map((_, index) => {
    const place = `declarations.mts(${prelude.split("\n").length + index + 1},`;
    return printed.filter((message) => message.includes(place)).flatMap((message) => message.split("\n"));
  });
});
afterAll(() => rm(folder, { recursive: true }));

test.for(mistakes.map((mistake, index) => [...mistake, index] as const))(
  "with the responses { %s }, the compiler rejects the result { %s }",
  ([, , sentence, most, index]) => {
    expect(messages[index]?.join("\n")).toContain(sentence);
    expect(messages[index]?.length).toBeLessThanOrEqual(most);
  },
);

test.for(correct.map((pair, index) => [...pair, mistakes.length + index] as const))(
  "with the responses { %s }, the compiler accepts the result { %s }",
  ([, , index]) => {
    expect(messages[index]).toEqual([]);
  },
);

test.for(others.map((other, index) => [...other, mistakes.length + correct.length + index] as const))(
  "the compiler rejects %s",
  ([, sentence, index]) => {
    expect(messages[index]?.join("\n")).toContain(sentence);
  },
);
