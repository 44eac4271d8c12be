import { exampleAddress } from "../../../lambdas/addresses.ts";
import type { Credential } from "../description.ts";

/** The languages of the samples, by the name that code blocks in the guide have. */
export const languages = { sh: "curl", js: "JavaScript", python: "Python", php: "PHP" } as const;

export type Language = keyof typeof languages;

export const languageIds = Object.keys(languages) as Language[];

export const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

/** How each language reads an environment variable. */
const variables: Readonly<Record<Language, (name: string) => string>> = {
  sh: (name) => `$${name}`,
  js: (name) => `process.env.${name}`,
  python: (name) => `os.environ["${name}"]`,
  php: (name) => `getenv("${name}")`,
};

/** How a sample reads a credential from the environment, until the reader enters one. */
export const variableOf = (language: Language, credential: Credential): string =>
  variables[language](credential.toUpperCase());

interface PersonaliseOptions {
  /** Shows only the beginning of a credential. */
  isMasked?: boolean;
}

/** Code with the service's address and with the credentials that the reader has entered. */
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
    text = text.replaceAll(variableOf(language, credential), () => (language === "sh" ? shown : `"${shown}"`));
  }
  return text;
};

const credentials = ["token", "invitation", "jwt"] as const satisfies readonly Credential[];

/** What the samples contain of their reader. Each credential is empty until it is entered. */
export interface Reader extends Readonly<Record<Credential, string>> {
  address: string;
}
