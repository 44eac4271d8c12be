import type { Operation } from "../lambdas/declaration/operations.ts";
import { reservedHeaders, successStatuses } from "../lambdas/declaration/response-mistakes.ts";
import type { ResponseDeclaration } from "../lambdas/declaration/responses.ts";
import { declaredFields } from "../lambdas/shared/validation/response-body.ts";

/** Returns a sentence for each mistake in the responses of an endpoint that its types cannot tell. */
export const responseProblems = ({ endpoint, functionName }: Operation): string[] =>
  Object.entries(endpoint.responses).flatMap(([status, response]) =>
    problemsOf(Number(status), response).map((problem) => `${functionName}: response ${status} ${problem}`),
  );

const problemsOf = (
  status: number,
  { body, media, fileName, headers = {}, location, paged }: ResponseDeclaration,
): string[] => {
  const origins = typeof location === "object" ? location.origins : undefined;
  const names = Object.keys(headers);
  const lowerCase = names.map((name) => name.toLowerCase());
  const rules: [holds: boolean, problem: string][] = [
    [isAmong(successStatuses, status), `must have one of the statuses ${successStatuses.join(", ")}.`],
    [status !== 303 || location !== undefined, "needs a location."],
    [status === 303 || !origins, "can name origins only if its status is 303."],
    [(origins ?? []).every(isOrigin), "has an origin that is not like https://labels.example."],
    [(status !== 204 && status !== 205) || !(body || media), "cannot have a body."],
    [!body || !media, "can have a body or a media type, but not both."],
    [
      media === undefined || isMediaType(media),
      `has the media type ${media}. Declare JSON as a body, and no parameters.`,
    ],
    [!media || !paged, "cannot be paged, because its body is not JSON."],
    [fileName === undefined || media !== undefined, "can have a fileName only with a media type."],
    [
      fileName === undefined || /^[\w-]+(\.[\w-]+)*$/.test(fileName),
      `has the fileName ${fileName}: use ASCII letters, digits, - and _.`,
    ],
    [new Set(lowerCase).size === names.length, "has a header twice."],
    ...names.map((name): [boolean, string] => [/^[A-Za-z][\w-]*$/.test(name), `has a header named ${name}.`]),
    ...names.map((name): [boolean, string] => [
      !isReserved(name),
      `has the header ${name}, which only the service itself sets.`,
    ]),
  ];
  return [...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])), ...(body ? bodyProblems(body) : [])];
};

/** Says which schema the function could not follow when it starts. */
const bodyProblems = (body: NonNullable<ResponseDeclaration["body"]>): string[] => {
  try {
    declaredFields(body);
    return [];
  } catch (error) {
    return [`cannot be sent. ${(error as Error).message}`];
  }
};

const isAmong = (numbers: readonly number[], number: number): boolean => numbers.includes(number);

const isOrigin = (origin: string): boolean =>
  /^https:\/\/[a-z\d.-]+(:\d+)?$/.test(origin) && URL.parse(origin)?.origin === origin;

const isMediaType = (media: string): boolean =>
  /^(application|audio|font|image|model|text|video)\/[a-z\d][a-z\d.+-]*$/.test(media) && media !== "application/json";

const isReserved = (name: string): boolean =>
  reservedHeaders.some((entry) =>
    entry.endsWith("-") ? name.toLowerCase().startsWith(entry) : name.toLowerCase() === entry,
  );
