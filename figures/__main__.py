"""Draw every picture again, or those named: `python -m figures [NAME …]`."""

import sys

from figures import FOLDER, pictures, save


def main(names: list[str]) -> None:
    known = pictures()
    if unknown := set(names) - set(known):
        sys.exit(f"no picture {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    for name in names or known:
        figure = known[name]()
        if figure is None:
            print(f"{name}: left out, its data is not here yet")
            continue
        save(figure, FOLDER / f"{name}.png")
        print(f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
