import type { RequestListener } from "node:http";
import { vi } from "vitest";
import type { TestService } from "../../support/service.ts";

/** A new token as a service returns it. */
export const issuedToken = (name: string) => ({
  token_id: `01KAK3Y0V9QX8M4N2R7T5W1Y${name}`,
  ip: "127.0.0.1",
  issued_at: "2026-11-21T10:15:30.123Z",
  expires_at: "2027-11-21T10:15:30.123Z",
  token: `itk_${name}_secret`,
});

const json = { "content-type": "application/json" };

export const issued =
  (name: string): RequestListener =>
  (_, response) =>
    response.writeHead(201, json).end(JSON.stringify(issuedToken(name)));

/** `202` with a code, at a time of the service. */
export const waiting =
  (code: string, headers: Record<string, string> = {}, expires_at = "2099-01-01T00:00:00.000Z"): RequestListener =>
  (_, response) =>
    response.writeHead(202, { ...json, ...headers }).end(JSON.stringify({ ip: "127.0.0.1", code, expires_at }));

export const refused =
  (status: number, code: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { ...json, ...headers }).end(JSON.stringify({ code, message: "It is refused." }));

export const noContent: RequestListener = (_, response) => response.writeHead(204).end();

/** A broken connection, before or within the answer. */
export const lost: RequestListener = (_, response) => void response.socket?.destroy();
export const cutOff: RequestListener = (_, response) =>
  void response
    .writeHead(201, { ...json, "content-length": "1000" })
    .write('{"token_id":', () => response.socket?.destroy());

interface Invited {
  token_id: string;
  invitation: string;
}

/** Invites a client of the running service. */
export const invite = async ({ admin }: TestService, ip: string | null = null): Promise<Invited> => {
  const { token_id, invitation_text } = await admin({ action: "invite", ip });
  return { token_id: String(token_id), invitation: String(invitation_text) };
};

/** Confirms the next request of a client, as an admin who compares the code does. */
export const confirmNext = async ({ admin }: TestService, token_id: string): Promise<void> => {
  const seen = async () => (await admin({ action: "get", token_id })).request;
  const request = await vi.waitUntil(seen, { timeout: 300_000 });
  const { ip, code } = request as { ip: string; code: string };
  await admin({ action: "confirm", token_id, ip, code });
};

export const idOf = (token: string): string => token.split("_")[1] ?? "";
