import { Button, FormField, Input } from "@cloudscape-design/components";
import { useState } from "react";
import { useLocation } from "wouter";
import { codePoints } from "../../../lambdas/shared/validation/characters.ts";
import { useFocusAfterwards } from "./focus.ts";

interface PrefixFormProps {
  /** The current search prefix. */
  prefix: string | undefined;
  /** The name of the id. */
  name: string;
  maxLength: number;
  /** What is listed, such as "keys". */
  subject: string;
  /** Returns the address of the items with a prefix, or of all items. */
  addressOf: (prefix?: string) => string;
}

/** Searches by the beginning of an id. */
export const PrefixForm = ({ prefix = "", name, maxLength, subject, addressOf }: PrefixFormProps) => {
  const [, navigate] = useLocation();
  const [text, setText] = useState(prefix);
  // The new list has its own search form, which replaces this one.
  useFocusAfterwards();
  const isTooLong = codePoints(text) > maxLength;
  const search = (event: React.FormEvent) => {
    event.preventDefault();
    if (!isTooLong) navigate(addressOf(text || undefined));
  };
  return (
    <form className="prefix-form not-printed" onSubmit={search}>
      <FormField
        stretch
        errorText={isTooLong && `The ${name} has at most ${maxLength} characters.`}
        constraintText={`A search reads all ${subject}, which can take a while.`}
      >
        <div className="field-row">
          <Input
            type="search"
            value={text}
            onChange={({ detail }) => setText(detail.value)}
            placeholder={`${name} begins with`}
            ariaLabel={`${name} begins with`}
            spellcheck={false}
          />
          <Button>Search</Button>
        </div>
      </FormField>
    </form>
  );
};
