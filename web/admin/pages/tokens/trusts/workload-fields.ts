/** A repository's address, as browsers and git show it. */
interface RepositoryAddress {
  host: string;
  /** Without a slash at the beginning or the end. */
  path: string;
}

/** Parses the address of a repository: https, ssh, or in git's short form. */
export const parseRepository = (text: string): RepositoryAddress | undefined => {
  const [, withScheme, withUser, withoutBoth, rest = ""] =
    /^(?:(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/|[\w-]+@([^/:]+):|(github\.com|gitlab\.com)\/)([^?#]*)/i.exec(
      text,
    ) ?? [];
  const host = withScheme ?? withUser ?? withoutBoth;
  if (host === undefined) return undefined;
  const path = rest.replaceAll(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  try {
    return { host: host.toLowerCase().replace(/^www\./, ""), path: decodeURIComponent(path) };
  } catch {
    return { host, path };
  }
};

/** Returns a check that a value has a form. It explains wildcards and spaces first, because neither can match. */
const hasForm =
  (form: RegExp, advice: string) =>
  (value: string): string => {
    if (/[*?]/.test(value)) return `Wildcards never match. ${advice}`;
    if (/\s/.test(value)) return `It cannot contain spaces. ${advice}`;
    return form.test(value) ? "" : advice;
  };

const branch = hasForm(
  /^(?!-|\/|.*(?:\.\.|\/\/|@\{))[^~^:\\[\p{Cc}]+(?<!\/|\.|\.lock)$/u,
  "Enter one exact name, such as main.",
);

/** For each field, returns why its value can never match, and what to write instead; an empty string if it can match. */
export const fieldProblems = {
  githubRepository: (text: string): string => {
    const host = parseRepository(text)?.host;
    if (host !== undefined && host !== "github.com")
      return `This is not an address at github.com. Choose the platform of ${host}.`;
    return hasForm(
      /^[\w-]+(@\d+)?\/[\w.-]+(@\d+)?$/,
      "Enter the owner and the repository, such as octo-org/octo-repo, in the case that GitHub shows.",
    )(text);
  },
  gitlabProject: hasForm(
    /^[\w.-]+(\/[\w.-]+)+$/,
    "Enter the group and the project, such as group/project, in the case of the project's address.",
  ),
  ref({ scope, ref }: { scope: string; ref: string }): string {
    const [, prefix, short] = /^(refs\/(?:heads|tags)\/)(.*)$/.exec(ref) ?? [];
    if (short !== undefined) return `Leave out ${prefix}. Enter ${short || "main"}.`;
    if (scope !== "environment") return branch(ref);
    if (ref.includes("*")) return "Wildcards never match. Enter one exact name, such as production.";
    return ref.includes(":") ? `GitHub writes %3A for a colon. Enter ${ref.replaceAll(":", "%3A")}.` : "";
  },
  namespace: hasForm(
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    "Namespaces have lower-case letters, digits and hyphens, such as default.",
  ),
  account: hasForm(
    /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
    "Service accounts have lower-case letters, digits, hyphens and dots, such as billing.",
  ),
  /** The service checks the rest, such as whether the host is public. */
  issuer(text: string): string {
    const advice = "Enter the issuer exactly as in the claim iss, such as https://issuer.example.com.";
    if (/[*\s]/.test(text)) return `It cannot contain wildcards or spaces. ${advice}`;
    if (!text.startsWith("https://") || !URL.canParse(text)) return `It must begin with https://. ${advice}`;
    const { href, origin, pathname } = new URL(text);
    if ([text, `${text}/`].includes(href)) return "";
    return `This spelling never matches. Enter ${origin}${pathname === "/" ? "" : pathname}.`;
  },
  slash: (text: string): string =>
    text.endsWith("/") ? `Leave out the slash at the end. Enter ${text.replace(/\/+$/, "")}.` : "",
  awsIssuer: hasForm(
    /^https:\/\/[a-z0-9-]+\.tokens\.sts\.global\.api\.aws$/,
    "Enter the issuer that IAM shows, such as https://….tokens.sts.global.api.aws, without a slash at the end.",
  ),
  role(text: string): string {
    const [, partition, account, role] = /^arn:(aws[\w-]*):sts::(\d{12}):assumed-role\/([^/]+)\//.exec(text) ?? [];
    if (role !== undefined)
      return `This is a session of a role. Enter the role: arn:${partition}:iam::${account}:role/${role}.`;
    return hasForm(
      /^arn:aws[\w-]*:iam::\d{12}:(role|user)\/[\w+=,.@/-]+$/,
      "Enter the whole ARN, such as arn:aws:iam::123456789012:role/billing.",
    )(text);
  },
  subject: (text: string): string => (text.includes("*") ? "Wildcards never match. Enter one exact subject." : ""),
};
