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

/** Searches for keys by the beginning of their key_id, and says what that costs. */
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
          constraintText={`A key_id is case-sensitive. A search reads every key: ${costOfReading(100_000)} per 100,000 keys at DynamoDB's price in us-east-1. Other regions have other prices.`}
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

/** DynamoDB's price of a million units on demand in us-east-1, in dollars. A consistent read of 4 KB takes one unit. */
const dollarsPerMillionUnits = 0.125;
const unitBytes = 4096;

/** A key of the usual size. */
const keyBytes = 151;

const format = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 1 });

/** What it costs about to read keys: "about $0.0005". */
export const costOfReading = (count: number): string => {
  const dollars = ((count * keyBytes) / unitBytes / 1_000_000) * dollarsPerMillionUnits;
  return dollars < 0.0001 ? "less than $0.0001" : `about ${format.format(dollars)}`;
};
