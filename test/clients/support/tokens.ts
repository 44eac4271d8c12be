import { randomUUID } from "node:crypto";
import { vi } from "vitest";
import { localIssuer } from "../../../lambdas/domain/tokens/trust.ts";
import { jobOf } from "../../../packages/client/test/contract/services.ts";
import type { TestService } from "../../support/service.ts";

/** Invites a client of the running service. */
export const invite = async (
  { admin }: TestService,
  ip: string | null = null,
): Promise<{ token_id: string; invitation: string }> => {
  const { token_id, invitation_text } = await admin({ action: "invite", ip });
  return { token_id: String(token_id), invitation: String(invitation_text) };
};

/** A trusted workload, and the variables of its job in GitHub Actions. */
export const trustWorkload = async ({ admin, loginUrl }: TestService) => {
  const subject = `repo:acme/shop:${randomUUID()}`;
  const { trust_id } = await admin({ action: "create_trust", issuer: localIssuer, subject });
  return { trust_id, subject, environment: jobOf(`${loginUrl}/workloads/token?subject=${subject}`) };
};

/** Confirms a client's next request, as an admin who compares the code does. */
export const confirmNext = async ({ admin }: TestService, token_id: string): Promise<void> => {
  const seen = async () => (await admin({ action: "get", token_id })).request;
  const request = await vi.waitUntil(seen, { timeout: 240_000 }).catch((cause: unknown) => {
    throw new Error(`The client did not ask to have ${token_id} confirmed within four minutes.`, { cause });
  });
  const { ip, code } = request as { ip: string; code: string };
  await admin({ action: "confirm", token_id, ip, code });
};

/** Returns the last successor of a token. */
export const newestOf = async (service: TestService, token_id: string): Promise<Record<string, unknown>> => {
  const token = await service.admin({ action: "get", token_id });
  return typeof token.successor_id === "string" ? newestOf(service, token.successor_id) : token;
};
