import { createServer } from "node:http";
import { createWorkloadIssuer } from "cdk-local-runner/parts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { listen } from "./listen.ts";

/** Starts an issuer of JWTs for workloads, which replaces the workloads' platform. */
export const startTestIssuer = async () => {
  const issuer = await createWorkloadIssuer(Date.now);
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const found = await issuer.respond(pathname, searchParams);
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? {}));
  });
  const url = await listen(server);
  return {
    url,
    /** Returns a new JWT of the workload in the examples, for the service in the examples. */
    workloadJwt: () => jwtFrom(url, exampleAddress),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Returns a new JWT of an issuer. Default subject: the workload in the examples. */
export const jwtFrom = async (issuerUrl: string, audience: string, subject = exampleTrust.subject): Promise<string> => {
  const response = await fetch(`${issuerUrl}/token?${new URLSearchParams({ subject, audience })}`);
  const { value } = (await response.json()) as { value: string };
  return value;
};
