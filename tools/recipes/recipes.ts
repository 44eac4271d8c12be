/** A change that a recipe of CONTRIBUTING.md describes, as someone who follows it would make it. */
export interface Recipe {
  /** Its heading in CONTRIBUTING.md. */
  title: string;
  /** A folder of this one whose files are new. */
  folder?: string;
  /** Other new files, by path. */
  files?: Record<string, string>;
  /** Lines to add: each before the first line that begins with a text. */
  lines: readonly (readonly [file: string, before: string, line: string])[];
}

const v1 = "lambdas/v1/endpoints.ts";
const catalogue = "lambdas/errors/catalogue.ts";

const countKeys = `import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";

const count = z.number().check(z.meta({ examples: [1] }));

export const countKeys = endpoint({
  method: "GET",
  path: "/key-count",
  summary: "Count keys",
  description: "Returns the number of keys, up to 1000.",
  uses: { keys: ["list"] },
  responses: { 200: { description: "The count.", body: z.object({ count }) } },
  example: {},
  async handler(_, { keys }) {
    const page = await keys.list({ limit: 1000 });
    return { status: 200, body: { count: page.keys.length } };
  },
});
`;

const requestShapes = `  async notes(open) {
    const notes = open(tables.notes);
    await notes.write({ name: "1", text: "Hello" });
    await notes.get("1");
    await notes.delete("1");
  },
`;

const countTokens = `import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";

export const count = action({
  contract: adminContract.count,
  summary: "Counts the tokens of a page.",
  uses: { tokens: ["list"] },
  input: z.strictObject({}),
  example: {},
  async run(_, { stores }) {
    const { tokens } = await stores.tokens.list({ limit: 1000 });
    return { count: tokens.length };
  },
});
`;

const countResponse = `import * as z from "zod/mini";

export const tokenCount = z.object({ count: z.number().check(z.meta({ examples: [1] })) });
`;

/** The endpoints of the first version, none of which the second one changes. */
const secondVersion = (endpoints: string): Record<string, string> => ({
  "lambdas/v2/endpoints.ts": endpoints.replace(/^\/\/.*\n/, "// Version 2 of the API.\n"),
  ...Object.fromEntries(
    [...endpoints.matchAll(/^export \{ \w+ \} from "\.\/(.+)";$/gm)].map(([line, file]) => [
      `lambdas/v2/${file}`,
      `${line.replace("./", "../v1/")}\n`,
    ]),
  ),
});

export const recipesFor = (endpoints: string): Record<string, Recipe> => ({
  endpoint: {
    title: "An endpoint",
    files: { "lambdas/v1/count-keys.ts": countKeys },
    lines: [[v1, "export", 'export { countKeys } from "./count-keys.ts";']],
  },
  table: {
    title: "A resource with its own table",
    folder: "table",
    lines: [
      ["lambdas/resources/tables.ts", "export", 'export { notes } from "./notes/notes-table.ts";'],
      ["test/lambdas/dynamodb/request-shapes.test.ts", "  async keys(open)", requestShapes],
      ...["write", "get", "delete"].map(
        (name) => [v1, "export", `export { ${name}Note } from "./${name}-note.ts";`] as const,
      ),
      [
        catalogue,
        "  key_not_found: {",
        '  note_not_found: { status: 404, scope: "declared", message: "There is no note with this name." },',
      ],
      [
        catalogue,
        "  key_not_found: {\n    when",
        '  note_not_found: { when: "No note has this name.", solve: "Check the name." },',
      ],
    ],
  },
  action: {
    title: "An admin action with its dialog",
    files: {
      "lambdas/admin/tokens/count.ts": countTokens,
      "lambdas/admin/tokens/count-response.ts": countResponse,
    },
    lines: [
      ["lambdas/admin/actions.ts", "export", 'export { count } from "./tokens/count.ts";'],
      [
        "lambdas/admin/contract.ts",
        "import { addressCheck",
        'import { tokenCount } from "./tokens/count-response.ts";',
      ],
      ["lambdas/admin/contract.ts", "  create_key:", '  count: { route: "GET /count", response: tokenCount },'],
      ["docs/admin.md", "| `create_key`", "| `count` | | the number of tokens |"],
    ],
  },
  version: {
    title: "A version of the API",
    files: secondVersion(endpoints),
    lines: [
      ["lambdas/api.ts", "import * as v1", 'import * as v2 from "./v2/endpoints.ts";'],
      ["lambdas/api.ts", "};", '  v2: { folder: "lambdas/v2", endpoints: v2 },'],
    ],
  },
});
