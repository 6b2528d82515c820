export type HistoryFormat = "csv" | "ndjson";

/** Returns the format of a history file by its extension. */
export const historyFormatOf = (fileName: string): HistoryFormat =>
  /\.(nd)?jsonl?$/i.test(fileName) ? "ndjson" : "csv";
