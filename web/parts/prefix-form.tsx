import { Button, FormField, Input } from "@cloudscape-design/components";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import { codePoints } from "../../lambdas/validation/characters.ts";
import { useFocusAfterwards } from "./focus.ts";

interface PrefixFormProps {
  /** What is searched for now. */
  prefix: string | undefined;
  /** The name of the id. */
  name: string;
  maxLength: number;
  /** What the list has: "keys". */
  subject: string;
  /** The address of what begins with a prefix, or of everything. */
  addressOf: (prefix?: string) => string;
  /** How far the search has come. */
  children?: ReactNode;
}

/** Searches by the beginning of an id. */
export const PrefixForm = ({ prefix = "", name, maxLength, subject, addressOf, children }: PrefixFormProps) => {
  const [, navigate] = useLocation();
  const [text, setText] = useState(prefix);
  // Another list, with a form of its own, takes the place of this one.
  useFocusAfterwards();
  const isTooLong = codePoints(text) > maxLength;
  const search = (event: React.FormEvent) => {
    event.preventDefault();
    if (!isTooLong) navigate(addressOf(text || undefined));
  };
  return (
    <form className="prefix-form" onSubmit={search}>
      <div className="not-printed">
        <FormField
          stretch
          errorText={isTooLong && `The ${name} has at most ${maxLength} characters.`}
          constraintText={`A search reads all ${subject}, so it takes a while if there are very many.`}
        >
          <div className="field-row">
            <Input
              type="search"
              value={text}
              onChange={({ detail }) => setText(detail.value)}
              placeholder={`The ${name}, or how it begins`}
              ariaLabel={`The ${name}, or how it begins`}
              spellcheck={false}
            />
            <Button>Search</Button>
          </div>
        </FormField>
      </div>
      {children}
    </form>
  );
};
