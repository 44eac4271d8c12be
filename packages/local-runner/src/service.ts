import type { LocalService, LocalServiceOptions } from "./local-service.ts";
import { runService } from "./run-service.ts";

/**
 * Starts everything that the templates of a cloud assembly declare.
 *
 * @example
 * const service = await startLocalService({ port: 3000, dataDirectory: ".local", assembly: "cdk.out" });
 * await fetch(`${service.baseUrl}/items`);
 * await service.close();
 */
export const startLocalService = async (options: LocalServiceOptions): Promise<LocalService> => {
  // What has been opened is closed in reverse order, when the service is closed or when its start fails.
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    return await runService(options, { closers, close });
  } catch (error) {
    await close();
    throw error;
  }
};
