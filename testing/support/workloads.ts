import { once } from "node:events";
import { createServer } from "node:http";
import { createWorkloadIssuer } from "cdk-local-runner/parts";
import { exampleTrust } from "../../lambdas/resources/tokens/tokens-table.ts";

/** An issuer of JWTs for workloads, in place of their platform. */
export interface TestIssuer {
  url: string;
  /** A new JWT for an audience: by default of the workload in the examples. */
  jwtFor(audience: string): Promise<string>;
  close(): void;
}

export const startTestIssuer = async (): Promise<TestIssuer> => {
  const issuer = await createWorkloadIssuer(Date.now);
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const found = await issuer.respond(pathname, searchParams);
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the issuer has no port");
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    jwtFor: (audience) => jwtFrom(url, { audience }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** A new JWT of an issuer: by default of the workload in the examples. */
export const jwtFrom = async (
  issuerUrl: string,
  { audience, subject = exampleTrust.subject }: { audience: string; subject?: string },
): Promise<string> => {
  const response = await fetch(`${issuerUrl}/token?${new URLSearchParams({ subject, audience })}`);
  const { value } = (await response.json()) as { value: string };
  return value;
};
