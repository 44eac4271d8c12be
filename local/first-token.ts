import { LocalError, type LocalService } from "cdk-local-runner";
import * as z from "zod/mini";

const listSchema = z.object({ tokens: z.array(z.unknown()) });
const issuedSchema = z.object({ token: z.string() });
const errorSchema = z.object({ errorMessage: z.string() });

/** Issues a token for this machine if no token exists yet. Undefined if one does, or if the app has no admin function. */
export const firstToken = async (service: LocalService): Promise<string | undefined> => {
  if (!service.functionNames.includes("admin")) return undefined;
  const { tokens } = await ask(service, listSchema, { action: "list", limit: 1 });
  if (tokens.length > 0) return undefined;
  const comment = "issued by the first local start";
  const { token } = await ask(service, issuedSchema, {
    action: "issue",
    invoked_by: "npm start",
    ip: "127.0.0.1",
    comment,
  });
  return token;
};

const ask = async <Schema extends z.ZodMiniType>(
  service: LocalService,
  schema: Schema,
  event: { action: string; [field: string]: unknown },
): Promise<z.infer<Schema>> => {
  const { failed, payload } = await service.invoke("admin", event);
  const answer: unknown = JSON.parse(payload);
  if (failed) {
    const { data } = errorSchema.safeParse(answer);
    throw new LocalError(`The admin function failed to ${event.action} tokens: ${data?.errorMessage ?? payload}`);
  }
  const { success, data } = schema.safeParse(answer);
  if (success) return data;
  throw new LocalError(`The admin function gave an unexpected answer to ${event.action}: ${payload}`);
};
