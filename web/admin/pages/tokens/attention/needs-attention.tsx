import { Button, ButtonDropdown, Container, Header } from "@cloudscape-design/components";
import { useState } from "react";
import { useBreakpoint } from "../../../parts/browser.ts";
import { RequestCard, RequestNews } from "../confirmations/request-card.tsx";
import {
  type Attention,
  type AttentionItem,
  attentionCounts,
  attentionNames,
  attentions,
  keyOf,
} from "./attention-items.ts";
import { AttentionRow } from "./attention-row.tsx";

interface NeedsAttentionProps {
  /** Most urgent first. */
  items: readonly AttentionItem[];
  /** Whether more items may still arrive. */
  isArriving: boolean;
  /** Shows all tokens with this reason in the table. */
  onShowAll: (attention: Attention) => void;
}

/** The maximum number of items that are listed, not counting requests that somebody is waiting for. */
const mostNamed = { phone: 1, tablet: 5, desktop: 5 };

/**
 * Lists what an admin should do next, most urgent first. The list keeps its height once drawn, so that nothing moves under the
 * pointer: settled items stay in place, and new items appear when the admin asks for them.
 */
export const NeedsAttention = ({ items, isArriving, onShowAll }: NeedsAttentionProps) => {
  const breakpoint = useBreakpoint();
  const requestCount = items.filter(isRequest).length;
  const urgent = items.slice(0, requestCount + mostNamed[breakpoint]);
  const [shown, setShown] = useState(urgent);
  const [hasOthers, setHasOthers] = useState(isArriving || items.length > urgent.length);
  const shownKeys = new Set(shown.map(keyOf));
  const current = new Map(items.map((item) => [keyOf(item), item]));
  const fresh = urgent.filter((item) => !shownKeys.has(keyOf(item)));
  const news = fresh.length > 0 && (
    <Button
      variant="inline-link"
      onClick={() => {
        setShown(urgent);
        setHasOthers(isArriving || items.length > urgent.length);
      }}
    >
      {fresh.some(isRequest) ? "A client is waiting: show" : "Show"}
    </Button>
  );
  return (
    <>
      <RequestNews count={requestCount} />
      <Container
        disableContentPaddings={shown.length === 0}
        header={
          <Header
            variant="h2"
            {...(items.length > 0 && { counter: `(${items.length.toLocaleString("en")}${isArriving ? "+" : ""})` })}
            {...(breakpoint === "phone"
              ? { description: news || "Requests and warnings are shown here." }
              : { info: news })}
          >
            {items.length === 0 && shown.length === 0 ? "Nothing needs attention" : "Needs attention"}
          </Header>
        }
      >
        {shown.length > 0 && (
          <>
            <ul className="attention-items stack">
              {shown.map((item) => (
                <Item key={keyOf(item)} item={current.get(keyOf(item)) ?? item} isSettled={!current.has(keyOf(item))} />
              ))}
            </ul>
            {hasOthers && (
              <Others
                items={items}
                hidden={items.filter((item) => !shownKeys.has(keyOf(item)))}
                onShowAll={onShowAll}
              />
            )}
          </>
        )}
      </Container>
    </>
  );
};

const isRequest = ({ kind }: AttentionItem): boolean => kind === "confirmation_waiting";

const Item = ({ item, isSettled }: { item: AttentionItem; isSettled: boolean }) => (
  <li inert={isSettled} className={isSettled ? "settled" : undefined}>
    {item.kind === "confirmation_waiting" ? (
      <RequestCard token={item.token} request={item.request} isNamed />
    ) : (
      <AttentionRow item={item} />
    )}
  </li>
);

interface OthersProps extends Pick<NeedsAttentionProps, "items" | "onShowAll"> {
  hidden: readonly AttentionItem[];
}

/** A menu of the reasons that have unlisted items. It always takes up one line, even while tokens are still loading. */
const Others = ({ items, hidden, onShowAll }: OthersProps) => {
  const [counts, hiddenCounts] = [attentionCounts(items), attentionCounts(hidden)];
  const others = hidden.filter((item) => item.kind === "delivery_uncertain" || "trust" in item).length;
  const reasons = attentions
    .filter((attention) => hiddenCounts[attention] > 0)
    .map((id) => ({ id, text: `${attentionNames[id]} (${counts[id].toLocaleString("en")})` }));
  return (
    <div className="attention-others">
      <ButtonDropdown
        expandToViewport
        disabled={hidden.length === 0}
        items={[
          ...reasons,
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
