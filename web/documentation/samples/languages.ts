import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import type { Credential } from "../description.ts";

/** The languages of the samples, keyed by their names in the guide's code blocks. */
export const languages = {
  sh: "curl",
  powershell: "PowerShell",
  ts: "TypeScript",
  python: "Python",
  php: "PHP",
} as const;

export type Language = keyof typeof languages;

/** The languages of the samples in the guide. In TypeScript and Python, they use the clients. */
export const guideLanguages = ["sh", "ts", "python", "php"] as const satisfies Language[];

export const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

/** How each language reads an environment variable. */
const variables: Readonly<Record<Language, (name: string) => string>> = {
  sh: (name) => `$${name}`,
  powershell: (name) => `$env:${name}`,
  ts: (name) => `process.env.${name} ?? ""`,
  python: (name) => `os.environ["${name}"]`,
  php: (name) => `getenv("${name}")`,
};

/** Returns code that reads a credential from the environment. Samples use it until the reader enters the credential. */
export const variableOf = (language: Language, credential: Credential): string =>
  variables[language](credential.toUpperCase());

interface PersonaliseOptions {
  /** Shows only the beginning of a credential. */
  isMasked?: boolean;
}

/** Inserts the service's address and the credentials that the reader has entered into code. */
export const personalise = (
  code: string,
  language: Language,
  { address, ...entered }: Reader,
  { isMasked = false }: PersonaliseOptions = {},
): string => {
  let text = code.replaceAll(exampleAddress, address);
  for (const credential of credentials) {
    const value = entered[credential];
    if (!/^[\w.-]+$/.test(value)) continue;
    const shown = isMasked ? `${value.slice(0, 4)}…` : value;
    text = text.replaceAll(variableOf(language, credential), () => (isShell(language) ? shown : `"${shown}"`));
  }
  return text;
};

/** In a shell's language, a variable is already in quotes where it needs them. */
const isShell = (language: Language): boolean => language === "sh" || language === "powershell";

const credentials = ["token", "invitation", "jwt"] as const satisfies readonly Credential[];

/** The reader's data in the samples. Each credential is empty until the reader enters it. */
export interface Reader extends Readonly<Record<Credential, string>> {
  address: string;
}
