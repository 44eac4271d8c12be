import { Button, Container, Header } from "@cloudscape-design/components";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { RequestCard, RequestNews } from "../confirmations/request-card.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { type Attention, type AttentionItem, attentionCounts, attentionNames, attentions } from "./attention-items.ts";
import { AttentionRow } from "./attention-row.tsx";

interface NeedsAttentionProps {
  /** The most urgent first. */
  items: readonly AttentionItem[];
  /** Whether there can be more. */
  isArriving: boolean;
  /** Shows all tokens with this reason in the table. */
  onShowAll: (attention: Attention) => void;
}

/** How many items are named, besides the requests that somebody is waiting for. */
const maxNamed = { phone: 3, tablet: 5, desktop: 5 };

/** What an admin should do next, the most urgent first. Shown only if there is something. */
export const NeedsAttention = (props: NeedsAttentionProps) => {
  const requestCount = props.items.filter(({ kind }) => kind === "confirmation_waiting").length;
  return (
    <>
      <RequestNews count={requestCount} />
      {props.items.length > 0 && <Items {...props} requestCount={requestCount} />}
    </>
  );
};

const Items = ({ items, requestCount, isArriving, onShowAll }: NeedsAttentionProps & { requestCount: number }) => {
  useFocusAfterwards();
  const open = useOpenDialog();
  const breakpoint = useBreakpoint();
  const shown = items.slice(0, requestCount + maxNamed[breakpoint]);
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={`(${items.length.toLocaleString("en")}${isArriving ? "+" : ""})`}
          description={
            requestCount > 0 &&
            "Ask the operator of a waiting client to read out the address and the code. Confirm only if both match."
          }
        >
          Needs attention
        </Header>
      }
    >
      <ul className="attention-items stack">
        {shown.map((item) => (
          <li key={keyOf(item)}>
            {item.kind === "confirmation_waiting" ? (
              <RequestCard
                token={item.token}
                request={item.request}
                isNamed
                onDecide={(name) => open({ name, token: item.token, request: item.request })}
              />
            ) : (
              <AttentionRow item={item} />
            )}
          </li>
        ))}
      </ul>
      <Others items={items} hidden={items.slice(shown.length)} onShowAll={onShowAll} />
    </Container>
  );
};

const keyOf = (item: AttentionItem): string => {
  if (item.kind === "delivery_uncertain") return item.notice.notice_id;
  const { kind, token } = item;
  return [kind, token.token_id, kind === "confirmation_waiting" ? item.request.code : ""].join(" ");
};

interface OthersProps extends Pick<NeedsAttentionProps, "items" | "onShowAll"> {
  hidden: readonly AttentionItem[];
}

/** For each reason with items that are not listed, a link to all its tokens. */
const Others = ({ items, hidden, onShowAll }: OthersProps) => {
  if (hidden.length === 0) return null;
  const [counts, hiddenCounts] = [attentionCounts(items), attentionCounts(hidden)];
  const notices = hidden.filter(({ kind }) => kind === "delivery_uncertain").length;
  return (
    <div className="attention-others row">
      <span>{hidden.length.toLocaleString("en")} more:</span>
      {notices > 0 && <span>Notices ({notices.toLocaleString("en")})</span>}
      {attentions.map((attention) => {
        const { short, rest } = attentionNames[attention];
        return (
          hiddenCounts[attention] > 0 && (
            <Button key={attention} variant="inline-link" onClick={() => onShowAll(attention)}>
              {`Show all: ${short} ${rest}`.trim()} ({counts[attention].toLocaleString("en")})
            </Button>
          )
        );
      })}
    </div>
  );
};
