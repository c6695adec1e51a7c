// Weights 0 … 1 in cividis, as in the course's still pictures: dark = 0, light = 1.

const STOPS =
  "00224e00285b002e6a0533711a386f273e6e32436d3b496c434e6c4b546c535a6d5a5f6e61656f686a716f70737676" +
  "767d7c788482798c8878938e789b9476a39a74aba072b4a76fbcae6cc4b468cdbb63d5c25edec958e7d150f0d846f9" +
  "e03afee838";

/** 256 colours as [red, green, blue], index = round(255 · weight). */
const CIVIDIS = Array.from({ length: 256 }, (_, level) => {
  const place = (level / 255) * 32;
  const low = Math.min(Math.floor(place), 31);
  const channel = (stop, part) => parseInt(STOPS.slice(6 * stop + 2 * part, 6 * stop + 2 * part + 2), 16);
  return [0, 1, 2].map((part) =>
    Math.round(channel(low, part) + (place - low) * (channel(low + 1, part) - channel(low, part))),
  );
});

const colour = (weight) => `rgb(${CIVIDIS[Math.round(255 * Math.min(1, Math.max(0, weight)))].join(",")})`;

/** Black or white, whichever reads better on `colour(weight)`. */
const inkOn = (weight) => (weight < 0.42 ? "#fff" : "#000");

/** Paint weights into `canvas`, one pixel for each; the page stretches it without smoothing. */
function paint(canvas, map) {
  canvas.width = map.columns;
  canvas.height = map.rows;
  const image = new ImageData(map.columns, map.rows);
  for (let cell = 0; cell < map.rows * map.columns; cell++) {
    const [red, green, blue] = CIVIDIS[Math.round(255 * Math.min(1, map.weight(cell)))];
    image.data.set([red, green, blue, 255], 4 * cell);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}
