import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { date, text, time } from "../../../lambdas/shared/validation/fields.ts";
import { python, requirePython } from "../../../test/support/programs.ts";
import { generateKeys } from "../generate-keys.ts";

const written = {
  key_id: z.string(),
  v_code: z.string(),
  status: z.enum(["active", "paused"]),
  note: z.optional(text({ min: 0, max: 50 })),
  pin: z.optional(z.string()),
  ends_on: z.nullable(date("When it ends.")),
  shared: z._default(z.boolean(), false),
};
const { key_id: _, ...contents } = written;
const schemas = {
  key: z.toJSONSchema(z.object({ ...written, created_at: time(), updated_at: time(), seen_at: z.optional(time()) })),
  created: z.toJSONSchema(z.object(written), { io: "input" }),
  replaced: z.toJSONSchema(z.object(contents), { io: "input" }),
  replaceable: "content",
  secrets: ["v_code", "pin"],
};

const script = `
from integration_api_client.keys import KeyCalls, key_from

class Calls(KeyCalls):
    def _call(self, *_, form, **__):
        return form

times = {"created_at": "2026-11-21T10:15:30.123Z", "updated_at": "2026-11-21T10:15:30.123Z"}
least = {"key_id": "1", "v_code": "hush", "status": "closed", "shared": True, **times}
key = key_from({**least, "ends_on": None, "added_later": 1})
assert (key.status, key.shared, key.note, key.ends_on, key.seen_at) == ("closed", True, None, None, None), key
earlier = {name: value for name, value in least.items() if name != "shared"}
assert key_from(earlier).shared is False
full = key_from({**least, "note": "n", "pin": "hush", "ends_on": "2026-11-21", "seen_at": times["created_at"]})
assert (full.note, full.ends_on, full.seen_at) == ("n", "2026-11-21", full.created_at), full
assert "hush" not in repr(full)
for wrong in ({"shared": "yes"}, {"status": None}, {"note": 1}, {"created_at": "soon"}, {"seen_at": 1}):
    try:
        key_from({**least, **wrong})
    except ValueError:
        continue
    raise AssertionError(wrong)
form = Calls().create_key("1", "v", status="active", note="n")
assert form == {"key_id": "1", "v_code": "v", "status": "active", "note": "n", "pin": None, "ends_on": None, "shared": None}, form
assert Calls().replace_key("1", "v", status="paused")["status"] == "paused"
`;

test("the Python client has each field of a key, whatever its kind, and reads keys with later fields and values", async (context) => {
  await requirePython(context);
  const folder = await mkdtemp(join(tmpdir(), "python-keys-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(python.folder, "src"), folder, { recursive: true });
  await writeFile(join(folder, "integration_api_client", "keys.py"), generateKeys(schemas));

  await expect(promisify(execFile)(python.command, ["-c", script], { cwd: folder })).resolves.toMatchObject({
    stderr: "",
  });
});
