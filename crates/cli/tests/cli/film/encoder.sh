#!/bin/sh
# In the place of ffmpeg: writes what it was told and how many bytes it got into the film, or fails.
if [ -n "$ENCODER_FAILS" ]; then
  cat > /dev/null
  echo "$ENCODER_FAILS" >&2
  exit 3
fi
for film; do :; done
{ echo "$@"; wc -c; } > "$film"
