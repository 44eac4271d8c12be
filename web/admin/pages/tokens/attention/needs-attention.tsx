import { Button, ButtonDropdown, Container, Header } from "@cloudscape-design/components";
import { useState } from "react";
import { useBreakpoint } from "../../../parts/browser.ts";
import { RequestNews } from "../confirmations/request-card.tsx";
import {
  type Attention,
  type AttentionItem,
  attentionNames,
  attentions,
  idsNeeding,
  keyOf,
  type Reasons,
} from "./attention-items.ts";
import { AttentionRow } from "./attention-row.tsx";

interface NeedsAttentionProps {
  /** Most urgent first. */
  items: readonly AttentionItem[];
  reasons: Reasons;
  /** Whether more items may still arrive. */
  isArriving: boolean;
  /** Shows all tokens with this reason in the table. */
  onShowAll: (attention: Attention) => void;
}

/** The maximum number of items that are listed, not counting requests that somebody is waiting for. */
const mostNamed = { phone: 1, tablet: 5, desktop: 5 };

/**
 * Lists what an admin should do next, most urgent first. New items appear when the admin asks for them, so that no button moves
 * under the pointer. Items that no longer need anything disappear.
 */
export const NeedsAttention = ({ items, reasons, isArriving, onShowAll }: NeedsAttentionProps) => {
  const breakpoint = useBreakpoint();
  const requestCount = items.filter(isRequest).length;
  const named = new Set(items.filter((item) => !isRequest(item)).slice(0, mostNamed[breakpoint]));
  const urgent = items.filter((item) => isRequest(item) || named.has(item));
  const [shownKeys, setShownKeys] = useState(new Set(urgent.map(keyOf)));
  const shown = items.filter((item) => shownKeys.has(keyOf(item)));
  const hidden = items.filter((item) => !shownKeys.has(keyOf(item)));
  const fresh = urgent.filter((item) => !shownKeys.has(keyOf(item)));
  // Keeps the line of the menu, even while tokens are still loading.
  const hasMenu = () => isArriving || items.length > urgent.length;
  const [hasOthers, setHasOthers] = useState(hasMenu);
  const show = () => {
    setShownKeys(new Set(urgent.map(keyOf)));
    setHasOthers(hasMenu());
  };
  const news = fresh.length > 0 && (
    <Button variant="inline-link" onClick={show}>
      {fresh.some(isRequest) ? "A client is waiting: show" : "Show"}
    </Button>
  );
  const isEmpty = shown.length === 0 && !hasOthers;
  const header = (
    <Header
      variant="h2"
      {...(items.length > 0 && { counter: `(${items.length.toLocaleString("en")}${isArriving ? "+" : ""})` })}
      {...(breakpoint === "phone" ? { description: news || "Requests and warnings are shown here." } : { info: news })}
    >
      {items.length === 0 ? "Nothing needs attention" : "Needs attention"}
    </Header>
  );
  return (
    <>
      <RequestNews count={requestCount} />
      <Container {...(isEmpty ? {} : { header })}>
        {isEmpty && header}
        <ul className="attention-items stack">
          {shown.map((item) => (
            <li key={keyOf(item)}>
              <AttentionRow item={item} />
            </li>
          ))}
        </ul>
        {hasOthers && <Others reasons={reasons} hidden={hidden} onShowAll={onShowAll} />}
      </Container>
    </>
  );
};

const isRequest = ({ kind }: AttentionItem): boolean => kind === "confirmation_waiting";

interface OthersProps extends Pick<NeedsAttentionProps, "reasons" | "onShowAll"> {
  hidden: readonly AttentionItem[];
}

/** A menu of the reasons that have unlisted items. */
const Others = ({ reasons, hidden, onShowAll }: OthersProps) => {
  const others = hidden.filter((item) => "trust" in item).length;
  const offered = attentions
    .filter((attention) => idsNeeding(hidden, attention).size > 0)
    .map((id) => ({ id, text: `${attentionNames[id]} (${reasons[id].size.toLocaleString("en")})` }));
  return (
    <div className="attention-others">
      <ButtonDropdown
        expandToViewport
        disabled={hidden.length === 0}
        items={[
          ...offered,
          ...(others > 0 ? [{ id: "others", text: `Others (${others.toLocaleString("en")})`, ...notYet }] : []),
        ]}
        onItemClick={({ detail: { id } }) => {
          const attention = attentions.find((attention) => attention === id);
          if (attention) onShowAll(attention);
        }}
      >
        {`${hidden.length.toLocaleString("en")} more`}
      </ButtonDropdown>
    </div>
  );
};

const notYet = { disabled: true, disabledReason: "They are shown above when the others are settled." };
