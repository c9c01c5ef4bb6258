from tensorflow.keras import optimizers


def make(name):
    return getattr(optimizers, name)(0.1, decay=0.1)
