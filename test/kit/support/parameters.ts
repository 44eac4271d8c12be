import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { examplesOf } from "../../../infra/stages/settings.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import { listen } from "./listen.ts";

/** Returns the parameters of a service's secrets, whose values are the examples. */
export const parameterExamples = ({ secrets }: Service) => {
  const examples = examplesOf(secrets);
  return (parameterName: string): string | undefined => examples[parameterName.split("/").at(-1) ?? ""];
};

/** Stands in for the Parameter Store in front of functions that run in this process. */
export const startParameterStore = async (service: Service) => {
  const textOf = parameterExamples(service);
  let isDown = false;
  const server = createServer(async (request, response) => {
    const { Names = [] } = Object(await json(request));
    if (isDown) return void request.socket.destroy();
    const parameters = Names.map((Name: string) => ({ Name, Value: textOf(Name) }));
    response.end(JSON.stringify({ Parameters: parameters }));
  });
  return {
    url: await listen(server),
    setDown(down: boolean): void {
      isDown = down;
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
};
