import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { localIssuer } from "../../../lambdas/domain/tokens/trust.ts";
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

/** The variables of a job in GitHub Actions that requests JWTs from this address. */
export const jobOf = (url: string) => ({ ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "secret" });

/** Confirms a client's next request, as an admin who compares the code does. */
export const confirmNext = async ({ admin }: TestService, token_id: string): Promise<void> => {
  const seen = async () => (await admin({ action: "get", token_id })).request;
  const request = await vi.waitUntil(seen, { timeout: 50_000 }).catch((cause: unknown) => {
    throw new Error(`The client did not ask to have ${token_id} confirmed within 50 seconds.`, { cause });
  });
  const { ip, code } = request as { ip: string; code: string };
  await admin({ action: "confirm", token_id, ip, code });
};

export const idOf = (token: string): string => token.split("_")[1] ?? "";

export interface StoredToken {
  token_id: string;
  ip: string;
  issued_at: string;
  expires_at: string | null;
  token: string;
}

/** More than two thirds of its lifetime have passed, whatever the token's own fields say. */
export const due = { issued_at: "2020-01-01T00:00:00.000Z", expires_at: "2027-12-31T00:00:00.000Z" };

export type TokenFile = Awaited<ReturnType<typeof tokenFile>>;

/** The path of a token in a new folder. */
export const tokenFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), "token-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "token.json");
  return {
    folder,
    path,
    read: async (): Promise<StoredToken> => JSON.parse(await readFile(path, "utf8")),
    text: () => readFile(path, "utf8"),
    mode: async () => (await stat(path)).mode & 0o777,
    names: async () => (await readdir(folder)).toSorted(),
    /** Stores a token as `curl` would store the response of the service. By default, the token is not due for rotation. */
    store: async (token: string, fields: Partial<StoredToken> = {}): Promise<void> => {
      const stored = { token_id: idOf(token), ip: "127.0.0.1", issued_at: new Date().toISOString(), expires_at: null };
      await writeFile(path, JSON.stringify({ ...stored, ...fields, token }));
      await chmod(path, 0o600);
    },
  };
};
