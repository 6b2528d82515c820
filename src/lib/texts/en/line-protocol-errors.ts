export const lineProtocolErrors = {
  "line.end_expected": "something stands behind the time stamp",
  "line.field_invalid": "a field must have the form name=value",
  "line.fields_missing": "the line has no fields",
  "line.measurement_missing": "the measurement is missing",
  "line.not_utf8": "the line is not valid UTF-8",
  "line.number_range": "a number is beyond the range of its type",
  "line.quote_open": "a string has no closing quotation mark",
  "line.string_long": "a string is longer than 64 KiB",
  "line.tag_invalid": "a tag must have the form name=value",
  "line.timestamp_invalid": "the time stamp must be a whole number",
  "line.timestamp_range":
    "the time stamp is before 2000 or too far in the future; check the precision and the clock",
  "line.timestamp_unit":
    "the time stamp {stamp} is in {unit}, but the precision of the request is {precision}; set precision={unit}",
  "line.too_many_tags": "a line can have at most {max} tags",
  "line.value_invalid": "a value must be a number, a boolean or a string in quotation marks",
  "line_protocol.encoding_unknown": "The content encoding must be gzip or identity.",
  "line_protocol.gzip_invalid": "The body is not valid gzip.",
  "line_protocol.keys_invalid": "keys must be measurement or field",
  "line_protocol.partial":
    "partial write: line {line} '{sample}' was refused: {reason}; refused lines: {count}",
  "line_protocol.precision_invalid": "precision must be one of {precisions}",
  "line_protocol.query_missing": "The request has no statement. Send one in the parameter `q`.",
  "line_protocol.query_unclosed": "A quote in the request is not closed.",
  "line_protocol.query_unsupported":
    "`{statement}` is not supported: the gateway stores lines, but answers no queries. Read values through its API or from the target of an uplink.",
  "line_protocol.too_many_children": "a body can name at most {max} child devices",
  "line_protocol.too_many_lines": "A body can have at most {max} lines. Send it in parts.",
} as const;
