import { expect, test } from "bun:test";
import {
  GUESS_WAIT_SECONDS,
  GUESSES_BURST,
  GuessBudget,
} from "../../../src/platform/secrets/guess-budget.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const isHere = () => false;

function createBudget() {
  const clock = new FakeClock();
  return { clock, budget: new GuessBudget(clock) };
}

test("a burst of guesses does not wait", () => {
  const { budget } = createBudget();
  for (let guess = 0; guess < GUESSES_BURST; guess++) expect(budget.wait(isHere)).toBe(true);
  expect(budget.take()).toBe(false);
  expect(budget.wait(isHere)).toBeInstanceOf(Promise);
});

test("of the guesses that wait, one is made each second, until the wait is too long", async () => {
  const { clock, budget } = createBudget();
  const results: boolean[] = [];
  for (let guess = 0; guess < GUESSES_BURST + 15; guess++) {
    const turn = budget.wait(isHere);
    if (turn !== true) void turn.then((result) => results.push(result));
  }
  for (let second = 1; second <= GUESS_WAIT_SECONDS; second++) {
    clock.advance(1_000);
    await Promise.resolve();
    expect(results.filter(Boolean)).toHaveLength(second);
  }
  clock.advance(2_000);
  await Promise.resolve();
  expect(results.filter((isAllowed) => !isAllowed)).toHaveLength(15 - GUESS_WAIT_SECONDS);
});

test("clients that have gone use up nothing", async () => {
  const { clock, budget } = createBudget();
  for (let guess = 0; guess < GUESSES_BURST; guess++) budget.wait(isHere);
  const gone = Array.from({ length: 10 }, () => budget.wait(() => true));
  const here = budget.wait(isHere);
  clock.advance(1_000);
  expect(await here).toBe(true);
  expect(await Promise.all(gone)).toEqual(Array(10).fill(false));
});

test("someone who asks while many wait is refused no more often than they are", async () => {
  const { clock, budget } = createBudget();
  let [allowed, refused] = [0, 0];
  for (let round = 0; round < 400; round++) {
    for (let guess = 0; guess < 5; guess++) void budget.wait(isHere);
    void Promise.resolve(budget.wait(isHere)).then((isAllowed) => (isAllowed ? allowed++ : refused++));
    clock.advance(1_000);
  }
  clock.advance(20_000);
  await Promise.resolve();
  expect(allowed + refused).toBe(400);
  expect(allowed).toBeGreaterThan(20); // of about 67
});
