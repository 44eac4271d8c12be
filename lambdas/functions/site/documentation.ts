import { join } from "node:path";
import { ApiError } from "../../errors/api-error.ts";
import { log } from "../../log.ts";
import { type Content, contentOf } from "./content.ts";
import { liveFile } from "./live-file.ts";

/** What answers at a path: a content, or none if there is nothing. */
export type Source = () => Promise<Content | undefined>;

/** The description of the API, in the function's folder: made by a step of its own, so it may be missing. */
export const descriptionFile = "api-docs.json";

export const documentationPath = "/api/documentation";

/** What stands in the page's place while there is no description. Not a path, so that nothing answers under this name. */
export const complaintFile = "missing-description.html";

/**
 * The documentation page and the description that it shows.
 *
 * Without the description both say so, and how to mend it. As soon as it is there they answer with it, with no restart.
 */
export const documentation = (folder: string, files: ReadonlyMap<string, Content>): Record<string, Source> => {
  const description = liveFile(join(folder, descriptionFile), "application/json");
  const refusal = new ApiError("documentation_missing");
  const complaint = contentOf(Buffer.from(JSON.stringify(refusal)), {
    status: refusal.status,
    contentType: "application/json",
  });

  let isReported = false;
  const readDescription: Source = async () => {
    const content = await description.read();
    if (!content && !isReported) log("error", { message: refusal.code, cause: refusal.message });
    isReported = !content;
    return content;
  };

  return {
    [documentationPath]: async () => files.get((await readDescription()) ? documentationPath : complaintFile),
    [`${documentationPath}/${descriptionFile}`]: async () => (await readDescription()) ?? complaint,
  };
};
