// Squarified treemap: boxes whose areas are proportional to weights, as square as they can be.

/** Lays weighted items into a rectangle; gives `{item, x, y, w, h}` in the order of the items. */
export function layOut(items, area, weigh) {
  const weights = items.map((item) => Math.max(weigh(item), 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const order = items.map((_, index) => index).sort((a, b) => weights[b] - weights[a] || a - b);
  const boxes = new Array(items.length);
  if (total === 0 || area.w <= 0 || area.h <= 0) return [];
  const scale = (area.w * area.h) / total;
  let free = { ...area };
  let at = 0;
  while (at < order.length) {
    const row = takeRow(order, at, weights, scale, Math.min(free.w, free.h));
    free = placeRow(row, free, (index, box) => {
      boxes[index] = { item: items[index], ...box };
    });
    at += row.members.length;
  }
  return boxes;
}

/** Takes items into a row along the shorter side for as long as that makes them squarer. */
function takeRow(order, from, weights, scale, side) {
  const members = [];
  let sum = 0;
  let smallest = Infinity;
  let largest = 0;
  let worst = Infinity;
  for (let at = from; at < order.length; at += 1) {
    const size = weights[order[at]] * scale;
    const nextSum = sum + size;
    const ratio = stretch(nextSum, Math.min(smallest, size), Math.max(largest, size), side);
    if (members.length && ratio > worst) break;
    members.push({ index: order[at], size });
    sum = nextSum;
    smallest = Math.min(smallest, size);
    largest = Math.max(largest, size);
    worst = ratio;
  }
  return { members, sum };
}

function stretch(sum, smallest, largest, side) {
  if (sum === 0) return 1;
  const square = sum * sum;
  const across = side * side;
  return Math.max((across * largest) / square, smallest ? square / (across * smallest) : 1);
}

/** Puts a row at the edge of the free rectangle and gives what is left of that. */
function placeRow(row, free, put) {
  const lying = free.w >= free.h;
  const side = lying ? free.h : free.w;
  const depth = side ? row.sum / side : 0;
  let offset = 0;
  for (const { index, size } of row.members) {
    const length = depth ? size / depth : 0;
    put(
      index,
      lying
        ? { x: free.x, y: free.y + offset, w: depth, h: length }
        : { x: free.x + offset, y: free.y, w: length, h: depth },
    );
    offset += length;
  }
  return lying
    ? { x: free.x + depth, y: free.y, w: free.w - depth, h: free.h }
    : { x: free.x, y: free.y + depth, w: free.w, h: free.h - depth };
}
