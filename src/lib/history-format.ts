export type HistoryFormat = "csv" | "ndjson";

/** Returns how a file of history is read, by its name. */
export const historyFormatOf = (fileName: string): HistoryFormat =>
  /\.(nd)?jsonl?$/i.test(fileName) ? "ndjson" : "csv";
