"""A study in TensorBoard: `tensorboard --logdir tracked`."""

import sys
import time

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from problem import measure, study

place = sys.argv[1] if len(sys.argv) > 1 else "tracked"
writer = EventFileWriter(place)


def log(it):
    values = [Summary.Value(tag=name, simple_value=x) for name, x in it.last.items()]
    writer.add_event(Event(wall_time=time.time(), step=it.iterations, summary=Summary(value=values)))


study.optimize(measure, callbacks=[log])
writer.close()
