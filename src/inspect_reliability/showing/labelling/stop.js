// Is the answer known? The same as stats/anytime.py, for a page that stops when it is.
"use strict";
const BETS = 20;
const HALVINGS = 30;

/** The most that the evidence ever was: the logarithm of the mean wealth over sizes of bets. */
function evidence(payoffs, loss) {
  const logs = new Float64Array(BETS);
  let most = -Infinity;
  for (const payoff of payoffs) {
    let largest = -Infinity;
    for (let bet = 0; bet < BETS; bet += 1) {
      logs[bet] += Math.log(Math.max(1 + ((bet + 1) / BETS / loss) * payoff, 0));
      largest = Math.max(largest, logs[bet]);
    }
    let sum = 0;
    for (const one of logs) sum += Math.exp(one - largest);
    most = Math.max(most, largest + Math.log(sum / BETS));
  }
  return most;
}

/** The number of the loosest threshold that keeps the promise; -1 for none. */
function promised(levels, wrong, thresholds, maxError, confidence) {
  for (let number = 0; number < thresholds; number += 1) {
    const payoffs = wrong.filter((_, i) => levels[i] <= number).map((one) => maxError - one);
    if (evidence(payoffs, 1 - maxError) < -Math.log(1 - confidence)) return number - 1;
  }
  return thresholds - 1;
}

/** The ends of the confidence sequence of a mean, after the last of these shares. */
function shareAtAnyTime(shares, level) {
  const needed = Math.log(2 / (1 - level));
  const above = (limit) => evidence(shares.map((one) => one - limit), limit) >= needed;
  const below = (limit) => evidence(shares.map((one) => limit - one), 1 - limit) >= needed;
  let low = [0, 1], high = [0, 1];
  for (let n = 0; n < HALVINGS; n += 1) {
    let middle = (low[0] + low[1]) / 2;
    low = above(middle) ? [middle, low[1]] : [low[0], middle];
    middle = (high[0] + high[1]) / 2;
    high = below(middle) ? [high[0], middle] : [middle, high[1]];
  }
  return [low[0], high[1]];
}

/**
 * Whether the answer is known, of every judge.
 *
 * goal: {kind: "keep", max_error, min_kept, confidence}, {kind: "gate", least, confidence} or
 * {kind: "width", half_width, confidence}. kept: the share that each threshold keeps, by judge.
 * seen: of each item in the order drawn, of each judge, {level, wrong, share}; share is null where
 * nobody could say.
 */
function isDecided(goal, kept, seen) {
  return kept.every((shares, judge) => {
    const own = seen.map((one) => one[judge]);
    if (goal.kind === "keep") {
      const levels = own.map((one) => one.level), wrong = own.map((one) => one.wrong);
      const last = promised(levels, wrong, shares.length, goal.max_error, goal.confidence);
      return last >= 0 && (last === shares.length - 1 || shares[last] >= goal.min_kept);
    }
    const known = own.map((one) => one.share).filter((one) => one !== null);
    const [low, high] = shareAtAnyTime(known, goal.confidence);
    if (goal.kind === "gate") return low >= goal.least || high < goal.least;
    return (high - low) / 2 <= goal.half_width;
  });
}
