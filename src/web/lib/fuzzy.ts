/**
 * Scores `text` against typed letters, which must occur in order; higher is better, undefined if there is no match. Starts of words score most, so "p4h"
 * finds "Press 4 hydraulics".
 */
export function fuzzyScore(typed: string, text: string): number | undefined {
  const wanted = typed.toLowerCase().replaceAll(" ", "");
  const hay = text.toLowerCase();
  let score = 0;
  let position = -1;
  for (const letter of wanted) {
    const next = hay.indexOf(letter, position + 1);
    if (next === -1) return undefined;
    if (next === 0 || /[\s_.-]/.test(hay[next - 1]!)) score += 8;
    else if (next === position + 1) score += 4;
    else score -= Math.min(3, next - position - 1);
    position = next;
  }
  return score - text.length / 100;
}
