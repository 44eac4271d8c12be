import { useMemo } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { type HistoryFilters, historyAddress, parseFilters } from "./list/history-filters.ts";
import { HistoryTable } from "./list/history-table.tsx";

/** Every change to tokens and keys. */
export const HistoryPage = () => {
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = historyAddress(parseFilters(search));
  // The same filters on another page are the same object.
  const filters = useMemo(() => parseFilters(new URL(query, "http://any").search), [query]);
  const onChange = (changed: HistoryFilters) => navigate(historyAddress(changed));
  return (
    <>
      <title>History – Integration API</title>
      <HistoryTable filters={filters} onChange={onChange} />
    </>
  );
};
