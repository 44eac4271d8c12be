import { LocalError } from "../packages/local-runner/src/local-error.ts";
import type { LocalService } from "../packages/local-runner/src/service.ts";
import * as z from "../packages/local-runner/src/zod.ts";

const listSchema = z.object({ tokens: z.array(z.unknown()) });
const issuedSchema = z.object({ token: z.string() });
const errorSchema = z.object({ errorMessage: z.string() });

/** Issues a token for this machine if there is none at all yet. Undefined if there is, or if the stack has no admin. */
export async function firstToken(service: LocalService): Promise<string | undefined> {
  if (!service.functionNames.includes("admin")) return undefined;
  const { tokens } = await ask(service, listSchema, { action: "list", limit: 1 });
  if (tokens.length > 0) return undefined;
  const comment = "issued by the first local start";
  const { token } = await ask(service, issuedSchema, { action: "issue", ip: "127.0.0.1", comment });
  return token;
}

async function ask<Schema extends z.ZodMiniType>(
  service: LocalService,
  schema: Schema,
  event: { readonly action: string; readonly [field: string]: unknown },
) {
  const { failed, payload } = await service.invoke("admin", event);
  const answer: unknown = JSON.parse(payload);
  if (failed) {
    const { data } = errorSchema.safeParse(answer);
    throw new LocalError(`The admin function failed to ${event.action} tokens: ${data?.errorMessage ?? payload}`);
  }
  const { success, data, error } = schema.safeParse(answer);
  if (success) return data;
  throw new LocalError(`The admin function answered ${event.action} with something else: ${z.prettifyError(error)}`);
}
