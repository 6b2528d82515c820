export const lineProtocolErrorsDe = {
  "line.end_expected": "hinter dem Zeitstempel steht noch etwas",
  "line.field_invalid": "ein Feld muss die Form Name=Wert haben",
  "line.fields_missing": "die Zeile hat keine Felder",
  "line.measurement_missing": "die Messung (measurement) fehlt",
  "line.not_utf8": "die Zeile ist kein gültiges UTF-8",
  "line.number_range": "eine Zahl liegt außerhalb des Bereichs ihres Typs",
  "line.quote_open": "eine Zeichenkette hat kein schließendes Anführungszeichen",
  "line.string_long": "eine Zeichenkette ist länger als 64 KiB",
  "line.tag_invalid": "ein Tag muss die Form Name=Wert haben",
  "line.timestamp_invalid": "der Zeitstempel muss eine ganze Zahl sein",
  "line.timestamp_range":
    "der Zeitstempel liegt vor 2000 oder zu weit in der Zukunft; prüfen Sie die Genauigkeit (precision) und die Uhr",
  "line.timestamp_unit":
    "der Zeitstempel {stamp} ist in {unit}, die Genauigkeit der Anfrage aber {precision}; setzen Sie precision={unit}",
  "line.too_many_tags": "eine Zeile kann höchstens {max} Tags haben",
  "line.value_invalid":
    "ein Wert muss eine Zahl, ein Wahrheitswert oder eine Zeichenkette in Anführungszeichen sein",
  "line_protocol.encoding_unknown": "Die Kodierung des Inhalts muss gzip oder identity sein.",
  "line_protocol.gzip_invalid": "Der Inhalt ist kein gültiges gzip.",
  "line_protocol.keys_invalid": "keys muss measurement oder field sein",
  "line_protocol.partial":
    "teilweise geschrieben: Zeile {line} „{sample}“ wurde abgelehnt: {reason}; abgelehnte Zeilen: {count}",
  "line_protocol.precision_invalid": "precision muss eines von {precisions} sein",
  "line_protocol.query_missing": "Die Anfrage enthält keine Anweisung. Senden Sie eine im Parameter `q`.",
  "line_protocol.query_unclosed": "Ein Anführungszeichen in der Anfrage ist nicht geschlossen.",
  "line_protocol.query_unsupported":
    "`{statement}` wird nicht unterstützt: Das Gateway speichert Zeilen, beantwortet aber keine Abfragen. Lesen Sie Werte über seine API oder aus dem Ziel eines Uplinks.",
  "line_protocol.too_many_children": "ein Inhalt kann höchstens {max} Untergeräte nennen",
  "line_protocol.too_many_lines": "Ein Inhalt kann höchstens {max} Zeilen haben. Senden Sie ihn in Teilen.",
};
