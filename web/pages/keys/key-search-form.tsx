import { Button, FormField, Input } from "@cloudscape-design/components";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import { addresses } from "../../../lambdas/addresses.ts";
import { keyIdLength } from "../../../lambdas/resources/keys/fields.ts";
import { codePoints } from "../../../lambdas/validation/characters.ts";
import { useFocusAfterwards } from "../../parts/focus.ts";

interface KeySearchFormProps {
  prefix: string | undefined;
  /** How far the search has come. */
  children: ReactNode;
}

/** Searches for keys by the beginning of their key_id. */
export const KeySearchForm = ({ prefix = "", children }: KeySearchFormProps) => {
  const [, navigate] = useLocation();
  const [text, setText] = useState(prefix);
  // Another list, with a form of its own, takes the place of this one.
  useFocusAfterwards();
  const isTooLong = codePoints(text) > keyIdLength.max;
  const search = (event: React.FormEvent) => {
    event.preventDefault();
    if (!isTooLong) navigate(text === "" ? addresses.keys : addresses.keysWithPrefix(text));
  };
  return (
    <form className="key-search" onSubmit={search}>
      <div className="not-printed">
        <FormField
          stretch
          errorText={isTooLong && `A key_id has at most ${keyIdLength.max} characters.`}
          constraintText="A search reads all keys, so it takes a while if there are very many."
        >
          <div className="field-row">
            <Input
              type="search"
              value={text}
              onChange={({ detail }) => setText(detail.value)}
              placeholder="The key_id, or how it begins"
              ariaLabel="The key_id, or how it begins"
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
